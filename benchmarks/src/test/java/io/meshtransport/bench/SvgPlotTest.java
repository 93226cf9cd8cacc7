// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.NodeList;

class SvgPlotTest {
  private static Document parse(SvgPlot plot) throws Exception {
    return DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(new ByteArrayInputStream(plot.toString().getBytes(StandardCharsets.UTF_8)));
  }

  private static double height(Document svg, int circle) {
    return Double.parseDouble(
        svg.getElementsByTagName("circle")
            .item(circle)
            .getAttributes()
            .getNamedItem("cy")
            .getNodeValue());
  }

  @Test
  void shouldNameItsLinesAtTheirEndsAndShowEveryPoint() throws Exception {
    SvgPlot plot =
        new SvgPlot("Rate & size", "channels", "per second")
            .line("ours", List.of(new double[] {1, 100}, new double[] {10, 1000}))
            .line("theirs", List.of(new double[] {1, 90}, new double[] {10, 900}));

    Document svg = parse(plot);

    assertEquals(4, svg.getElementsByTagName("circle").getLength());
    assertTrue(plot.toString().contains(">ours<") && plot.toString().contains(">theirs<"));
    assertTrue(plot.toString().contains("Rate &amp; size"), plot.toString());
    assertTrue(height(svg, 0) > height(svg, 1), "more is higher");
  }

  @Test
  void shouldWriteValuesThatAreCloseAboveAndBelowTheirPoints() throws Exception {
    SvgPlot plot =
        new SvgPlot("t", "x", "y")
            .line("one", List.of(new double[] {1, 100}, new double[] {10, 1000}))
            .line("other", List.of(new double[] {1, 101}, new double[] {10, 200}));

    double above = textHeight(parse(plot), "100");
    double below = textHeight(parse(plot), "101");

    assertTrue(below - above > 20, above + " and " + below);
  }

  private static double textHeight(Document svg, String text) {
    NodeList texts = svg.getElementsByTagName("text");
    for (int i = texts.getLength() - 1; i >= 0; i--) {
      if (texts.item(i).getTextContent().equals(text)) {
        return Double.parseDouble(texts.item(i).getAttributes().getNamedItem("y").getNodeValue());
      }
    }
    throw new AssertionError("no text " + text);
  }

  @Test
  void shouldLeaveOutWhatHasNoLogarithm() throws Exception {
    SvgPlot plot =
        new SvgPlot("t", "x", "y")
            .line("some", List.of(new double[] {1, 0}, new double[] {10, 5}))
            .line("none", List.of(new double[] {1, -3}));

    assertEquals(1, parse(plot).getElementsByTagName("circle").getLength());
  }

  @Test
  void shouldWriteNumbersShort() {
    assertEquals("1234", SvgPlot.number(1234.4));
    assertEquals("12.3", SvgPlot.number(12.34));
    assertEquals("1", SvgPlot.number(1));
    assertEquals("0.25", SvgPlot.number(0.25));
  }
}
