// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.collectives.plan.Planner;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

class PlanPictureTest {
  private static final String RING =
      "a b 100Gb/s 5us\nb c 100Gb/s 5us\nc d 100Gb/s 5us\nd a 50Gb/s 5us\n";

  private static Element parsed(String svg) throws Exception {
    return DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(new ByteArrayInputStream(svg.getBytes(StandardCharsets.UTF_8)))
        .getDocumentElement();
  }

  private static long count(Element in, String kind) {
    NodeList lines = in.getElementsByTagName("line");
    long count = 0;
    for (int i = 0; i < lines.getLength(); i++) {
      count += ((Element) lines.item(i)).getAttribute("class").equals(kind) ? 1 : 0;
    }
    return count;
  }

  @Test
  void shouldDrawCablesAndEachTreeWithItsShare() throws Exception {
    String svg = PlanPicture.of(Planner.plan(GraphFile.read("ring", RING), 0));
    Element picture = parsed(svg);
    assertEquals(5, picture.getElementsByTagName("g").getLength());
    assertEquals(4, count(picture, "cable"));
    assertEquals(4 * 3, count(picture, "tree"));
    assertEquals(4 * 4, count(picture, "unused"));
    assertTrue(svg.contains(">57.1 %, root "), svg);
    assertTrue(svg.contains(">50 G</text>"), svg);
    assertEquals(svg, PlanPicture.of(Planner.plan(GraphFile.read("ring", RING), 0)));
  }

  @Test
  void shouldKeepWithinItsFrameAndBeXmlWhateverTheNames() throws Exception {
    String svg =
        PlanPicture.of(
            Planner.plan(GraphFile.read("line", "<a> b&c 1Gb/s 1us\nb&c \"d\" 1Gb/s 1us"), 0));
    Element picture = parsed(svg);
    double panel = 230;
    NodeList nodes = picture.getElementsByTagName("rect");
    for (int i = 1; i < nodes.getLength(); i++) {
      Element each = (Element) nodes.item(i);
      double left = Double.parseDouble(each.getAttribute("x"));
      double top = Double.parseDouble(each.getAttribute("y"));
      assertTrue(left >= 0 && left + Double.parseDouble(each.getAttribute("width")) <= panel);
      assertTrue(top >= 0 && top + Double.parseDouble(each.getAttribute("height")) <= panel);
    }
  }
}
