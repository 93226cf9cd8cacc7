// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli.map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.neighbours.map.MeshMap;
import io.meshtransport.neighbours.map.SampleMesh;
import io.meshtransport.neighbours.verdict.NodeState;
import io.meshtransport.spi.RelayServices;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** {@link TerminalPicture}, {@link SvgPicture} and {@link DotPicture} of small meshes. */
class PictureTest {
  /** Two cables of b that were swapped at b. */
  private static final SampleMesh CROSSED =
      new SampleMesh("a", "b")
          .cable("a", "10.0.1.1/24", "b", "10.0.2.2/24")
          .cable("a", "10.0.2.1/24", "b", "10.0.1.2/24");

  private static final Map<String, MeshMap> MAPS =
      new TreeMap<>(
          Map.of(
              "triangle", SampleMesh.triangle().map(),
              "line",
                  new SampleMesh("a", "b", "c")
                      .cable("a", "", "b", "")
                      .cable("b", "10.0.2.1/24", "c", "10.0.2.2/24")
                      .map(),
              "cut",
                  SampleMesh.triangle()
                      .cut("a", "b")
                      .verdict("c", NodeState.STUCK, "its host accepts connections")
                      .map(),
              "crossed", CROSSED.map()));

  static List<String> names() {
    return List.copyOf(MAPS.keySet());
  }

  private static String expected(String file) throws IOException {
    try (InputStream in = PictureTest.class.getResourceAsStream(file)) {
      return in == null ? "no " + file : new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @ParameterizedTest
  @MethodSource("names")
  void shouldDrawExactlyThis(String name) throws IOException {
    MeshMap map = MAPS.get(name);
    assertEquals(expected(name + ".txt"), TerminalPicture.of(map, StandardCharsets.UTF_8));
    assertEquals(expected(name + ".svg"), SvgPicture.of(map));
    assertEquals(expected(name + ".dot"), DotPicture.of(map));
  }

  @Test
  void shouldDrawWithoutBoxCharactersWhereThereAreNone() throws IOException {
    String picture = TerminalPicture.of(MAPS.get("cut"), StandardCharsets.US_ASCII);

    assertTrue(StandardCharsets.US_ASCII.newEncoder().canEncode(picture), picture);
    assertEquals(expected("cut.txt").lines().count(), picture.lines().count());
  }

  private static List<MeshMap> larger() {
    return List.of(
        SampleMesh.ring(4).map(),
        SampleMesh.ring(16).map(),
        SampleMesh.ring(64).map(),
        SampleMesh.full(4).map(),
        SampleMesh.full(5).map(),
        SampleMesh.full(8).map());
  }

  @ParameterizedTest
  @MethodSource("larger")
  void shouldLayNoLabelOverAnother(MeshMap map) {
    Drawing drawing = Drawing.of(map);

    assertTrue(drawing.fits());
    List<Box> boxes = new ArrayList<>(drawing.nodes);
    for (Drawing.Wire wire : drawing.wires) {
      for (Drawing.Label label : wire.labels()) {
        assertFalse(label.box().overlapsAny(boxes, 0), label.toString());
        boxes.add(label.box());
      }
    }
  }

  @Test
  void shouldBeWellFormedWhateverNodesAreCalled() throws Exception {
    String svg =
        SvgPicture.of(new SampleMesh("<a&\"b\">", "]]>").cable("<a&\"b\">", "", "]]>", "").map());

    DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(new ByteArrayInputStream(svg.getBytes(StandardCharsets.UTF_8)));
    assertTrue(svg.contains("&lt;a&amp;&quot;b&quot;&gt;"), svg);
  }

  @Test
  void shouldDrawNothingButNumbersOfAnEmptyMesh() {
    MeshMap empty = new MeshMap(MeshMap.FORMAT, List.of(), List.of(), List.of(), List.of());

    assertEquals("0 nodes, 0 cables\n\n", TerminalPicture.of(empty, StandardCharsets.UTF_8));
    assertTrue(SvgPicture.of(empty).contains("0 nodes"));
  }

  /** a - b - c - d. */
  private static SampleMesh line() {
    return new SampleMesh("a", "b", "c", "d")
        .cable("a", "", "b", "")
        .cable("b", "", "c", "")
        .cable("c", "", "d", "");
  }

  @Test
  void shouldShowRelaysAndTheirLoad() {
    SampleMesh mesh = line();
    for (String each : List.of("a", "b", "c", "d")) {
      mesh.service(each, RelayServices.RELAY);
    }
    mesh.service("b", RelayServices.LOAD, RelayServices.handle(62_000_000));
    String terminal = TerminalPicture.of(mesh.map(), StandardCharsets.UTF_8);
    assertTrue(terminal.contains("b (alive, relays 62.0 MB/s)"), terminal);
    assertTrue(
        terminal.contains("no cable joins these pairs, relays do:\n    a - b - c\n"), terminal);
    String svg = SvgPicture.of(mesh.map());
    assertTrue(svg.contains("relays 62.0 MB/s"), svg);
    assertTrue(svg.contains("no cable joins, relays do: a - b - c, a - b - c - d, b - c - d"), svg);
    assertFalse(TerminalPicture.of(line().map(), StandardCharsets.UTF_8).contains("relay"));
  }
}
