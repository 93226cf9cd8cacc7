// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli.routes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.meshtransport.neighbours.map.CableState;
import io.meshtransport.neighbours.map.MapCable;
import io.meshtransport.neighbours.map.MapEnd;
import io.meshtransport.neighbours.map.MapNode;
import io.meshtransport.neighbours.map.MeshMap;
import io.meshtransport.neighbours.verdict.NodeState;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** {@link RoutePlan}. */
class RoutePlanTest {
  private static MapNode node(String name) {
    return new MapNode(
        name,
        name,
        name,
        name.equals("a"),
        NodeState.ALIVE,
        "",
        List.of(),
        List.of(),
        true,
        true,
        0);
  }

  private static MapCable cable(String one, String other, int rateMbps, CableState state) {
    return new MapCable(
        new MapEnd(one, one, 1, "to-" + other, List.of("fe80::" + one + "/64")),
        new MapEnd(other, other, 1, "to-" + one, List.of("fe80::" + other + "/64")),
        state,
        List.of(),
        rateMbps,
        0,
        0);
  }

  private static List<String> of(MapCable... cables) {
    List<MapNode> nodes = Stream.of("a", "b", "c", "d").map(RoutePlanTest::node).toList();
    return RoutePlan.of(new MeshMap(MeshMap.FORMAT, nodes, List.of(cables), List.of(), List.of()))
        .routes()
        .stream()
        .map(each -> each.node() + " via " + each.gateway() + " dev " + each.interfaceName())
        .toList();
  }

  @Test
  void shouldGoOverMiddleNodes() {
    assertEquals(
        List.of("b via fe80::b dev to-b", "c via fe80::b dev to-b"),
        of(cable("a", "b", 1, CableState.UP), cable("b", "c", 1, CableState.UP)));
  }

  @Test
  void shouldUseNoCableThatIsCut() {
    assertEquals(
        List.of("b via fe80::c dev to-c", "c via fe80::c dev to-c"),
        of(
            cable("a", "b", 1, CableState.CUT),
            cable("a", "c", 1, CableState.UP),
            cable("b", "c", 1, CableState.UP)));
  }

  @Test
  void shouldPreferTheWiderFirstCable() {
    assertEquals(
        "d via fe80::c dev to-c",
        of(
                cable("a", "b", 1, CableState.UP),
                cable("a", "c", 2, CableState.UP),
                cable("b", "d", 1, CableState.UP),
                cable("c", "d", 1, CableState.UP))
            .get(2));
  }

  @Test
  void shouldGiveEachNameAnAddressOfItsOwn() {
    assertEquals(RoutePlan.address("a"), RoutePlan.address("a"));
    assertNotEquals(RoutePlan.address("a"), RoutePlan.address("b"));
  }

  @Test
  void shouldSayItInTheWordsOfIp() {
    RoutePlan.Route route = new RoutePlan.Route("b", "fd00::b", "fe80::b", "to-b");

    assertEquals(
        "-6 route replace fd00::b/128 via fe80::b dev to-b proto 77 src fd00::a",
        String.join(" ", KernelRoutes.words("replace", route, "fd00::a")));
  }
}
