// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.spi.RelayServices;
import java.util.List;
import org.junit.jupiter.api.Test;

/** {@link MapPaths}, {@link MapPath}, and what maps say of relays. */
class MapPathsTest {
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
  void shouldSayWhatIsPassedOnForOthers() {
    SampleMesh mesh = relaying(line(), "a", "b", "c", "d");
    MeshMap map = mesh.service("b", RelayServices.LOAD, RelayServices.handle(62_000_000)).map();
    assertEquals("alive, relays 62.0 MB/s", map.nodes().get(1).description());
  }
}
