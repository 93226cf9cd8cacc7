// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli.map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.relay.RelayServices;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** {@link MapPaths}, {@link MapPath}, and what pictures say of relays. */
class MapPathsTest {
  private static final byte[] MEGABYTES_62 = {0, 0, 0, 0, 3, (byte) 0xB2, 0x0B, (byte) 0x80};

  /** a - b - c - d. */
  private static SampleMesh line() {
    return new SampleMesh("a", "b", "c", "d")
        .cable("a", "", "b", "")
        .cable("b", "", "c", "")
        .cable("c", "", "d", "");
  }

  private static SampleMesh relaying(SampleMesh mesh, String... nodes) {
    for (String each : nodes) {
      mesh.service(each, RelayServices.RELAY);
    }
    return mesh;
  }

  private static List<String> texts(SampleMesh mesh) {
    return mesh.map().paths().stream().map(MapPath::text).toList();
  }

  @Test
  void shouldLeadOverNodesThatRelay() {
    assertEquals(
        List.of("a - b - c", "a - b - c - d", "b - c - d"),
        texts(relaying(line(), "a", "b", "c", "d")));
  }

  @Test
  void shouldLeadOverNoNodeThatHasEndsAlone() {
    SampleMesh mesh = relaying(line(), "a", "b", "d").service("c", RelayServices.END);
    assertEquals(List.of("a - b - c"), texts(mesh));
  }

  @Test
  void shouldLeadNowhereWithoutRelays() {
    assertEquals(List.of(), texts(line()));
    assertEquals(List.of(), texts(relaying(line(), "a", "c")));
  }

  @Test
  void shouldTakeTheOtherWayRoundWhereACableIsCut() {
    SampleMesh triangle = relaying(SampleMesh.triangle(), "a", "b", "c");
    assertEquals(List.of(), texts(triangle));
    MapPath path = triangle.cut("a", "c").map().paths().get(0);
    assertEquals("a - b - c", path.text());
    assertEquals(List.of("b"), path.via());
    assertEquals(SampleMesh.id("a").toString(), path.one());
    assertEquals(SampleMesh.id("c").toString(), path.other());
  }

  /** Nine cables are too far. */
  @Test
  void shouldTakeEightCablesAtMost() {
    SampleMesh ring = SampleMesh.ring(18);
    for (int i = 0; i < 18; i++) {
      ring.service("n%02d".formatted(i), RelayServices.RELAY);
    }
    List<String> texts = texts(ring);
    assertEquals(18 * 7, texts.size());
    assertTrue(texts.contains("n00 - n01 - n02 - n03 - n04 - n05 - n06 - n07 - n08"), "" + texts);
    assertTrue(texts.stream().noneMatch(each -> each.endsWith(" n09") && each.startsWith("n00")));
  }

  @Test
  void shouldBeInPicturesWithTheLoad() {
    SampleMesh mesh =
        relaying(line(), "a", "b", "c", "d").service("b", RelayServices.LOAD, MEGABYTES_62);
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
