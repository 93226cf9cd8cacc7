// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.relay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Which {@link SourceRoute} a {@link Graph} chooses. */
class GraphTest {
  private static NodeNumber id(int number) {
    return new NodeNumber(0, number);
  }

  private static Graph.Edge edge(int one, int other, int rateMbps) {
    return new Graph.Edge(id(one), id(other), rateMbps);
  }

  private static Graph graph(Set<NodeNumber> unwilling, Graph.Edge... edges) {
    Set<NodeNumber> members = new HashSet<>();
    for (Graph.Edge each : edges) {
      members.add(each.one());
      members.add(each.other());
    }
    Set<NodeNumber> willing = new HashSet<>(members);
    willing.removeAll(unwilling);
    return new Graph(List.of(edges), members, willing);
  }

  private static List<Integer> route(Graph graph, int from, int to) {
    SourceRoute route = graph.route(id(from), id(to), peer -> true);
    return route == null ? null : route.nodes().stream().map(each -> (int) each.low()).toList();
  }

  @Test
  void shouldTakeTheFewestCables() {
    Graph graph = graph(Set.of(), edge(1, 2, 9), edge(2, 3, 9), edge(1, 3, 1));
    assertEquals(List.of(1, 3), route(graph, 1, 3));
  }

  @Test
  void shouldTakeTheWiderOfTwoThenTheLowerIds() {
    Graph graph = graph(Set.of(), edge(1, 2, 5), edge(2, 4, 5), edge(1, 3, 9), edge(3, 4, 6));
    assertEquals(List.of(1, 3, 4), route(graph, 1, 4));
    Graph equal = graph(Set.of(), edge(1, 2, 5), edge(2, 4, 5), edge(1, 3, 5), edge(3, 4, 5));
    assertEquals(List.of(1, 2, 4), route(equal, 1, 4));
    assertEquals(List.of(4, 2, 1), route(equal, 4, 1));
  }

  @Test
  void shouldPassThroughWillingNodesOnly() {
    Graph graph = graph(Set.of(id(2), id(3)), edge(1, 2, 5), edge(2, 3, 5));
    assertNull(route(graph, 1, 3));
    assertEquals(List.of(1, 2), route(graph, 1, 2));
    Graph.Edge[] around = {
      edge(1, 2, 5), edge(2, 3, 5), edge(1, 4, 1), edge(4, 5, 1), edge(5, 3, 1)
    };
    assertEquals(List.of(1, 4, 5, 3), route(graph(Set.of(id(2)), around), 1, 3));
  }

  @Test
  void shouldTakeEightCablesAtMost() {
    List<Graph.Edge> edges = new ArrayList<>();
    for (int i = 1; i <= 9; i++) {
      edges.add(edge(i, i + 1, 1));
    }
    Graph graph = graph(Set.of(), edges.toArray(Graph.Edge[]::new));
    assertEquals(9, route(graph, 1, 9).size());
    assertNull(route(graph, 1, 10));
  }

  @Test
  void shouldKnowTheNarrowestCableOfARoute() {
    Graph graph = graph(Set.of(), edge(1, 2, 9), edge(2, 3, 7), edge(3, 4, 8), edge(4, 5, 0));
    assertEquals(7, graph.widthMbps(graph.route(id(1), id(4), peer -> true)));
    assertEquals(9, graph.widthMbps(graph.route(id(1), id(2), peer -> true)));
    assertEquals(0, graph.widthMbps(graph.route(id(1), id(5), peer -> true)));
  }

  @Test
  void shouldBeginWithAHopThatIsThere() {
    Graph graph = graph(Set.of(), edge(1, 3, 9), edge(1, 2, 9), edge(2, 3, 9));
    SourceRoute route = graph.route(id(1), id(3), peer -> peer.equals(id(2)));
    assertEquals(List.of(id(1), id(2), id(3)), route.nodes());
    assertTrue(graph.has(route, peer -> true));
    assertFalse(graph(Set.of(), edge(1, 2, 9)).has(route, peer -> true));
    assertFalse(graph.has(route, peer -> false));
  }

  @Test
  void shouldRefuseTextThatIsNoId() {
    assertThrows(IllegalArgumentException.class, () -> NodeNumber.of("1"));
    assertEquals("0f".repeat(16), NodeNumber.of("0F".repeat(16)).toString());
  }
}
