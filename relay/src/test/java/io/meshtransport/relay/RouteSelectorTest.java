// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.relay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RouteSelectorTest {
  private static final NodeNumber SELF = id(1);
  private static final NodeNumber LEFT = id(2);
  private static final NodeNumber RIGHT = id(3);
  private static final NodeNumber PEER = id(4);
  private static final SourceRoute DIRECT = new SourceRoute(List.of(SELF, PEER));
  private static final SourceRoute OVER_LEFT = new SourceRoute(List.of(SELF, LEFT, PEER));
  private static final SourceRoute OVER_RIGHT = new SourceRoute(List.of(SELF, RIGHT, PEER));

  private final Set<NodeNumber> hops = new HashSet<>(Set.of(LEFT, RIGHT, PEER));
  private final RouteSelector routes = new RouteSelector(SELF, hops::contains);

  private static NodeNumber id(int number) {
    return new NodeNumber(0, number);
  }

  private static Graph.Edge edge(NodeNumber one, NodeNumber other) {
    return new Graph.Edge(one, other, 1000);
  }

  /** Two ways of two cables, and a cable between the ends if so. */
  private static Graph square(boolean hasDirect) {
    Set<NodeNumber> all = Set.of(SELF, LEFT, RIGHT, PEER);
    Graph.Edge fifth = hasDirect ? edge(SELF, PEER) : edge(LEFT, RIGHT);
    List<Graph.Edge> edges =
        List.of(edge(SELF, LEFT), edge(LEFT, PEER), edge(SELF, RIGHT), edge(RIGHT, PEER), fifth);
    return new Graph(edges, all, all);
  }

  @Test
  void shouldKnowNoRouteBeforeItKnowsTheMesh() {
    assertNull(routes.best(PEER));
    assertNull(routes.select(PEER, false, Set.of(), null));
    routes.graph(square(true));
    assertEquals(DIRECT, routes.best(PEER));
    assertNull(routes.best(SELF));
    assertNull(routes.best(id(5)));
  }

  @Test
  void shouldBeginWithANeighbourToWhichThereIsAHop() {
    routes.graph(square(true));
    hops.remove(PEER);
    assertEquals(OVER_LEFT, routes.best(PEER));
    hops.remove(LEFT);
    assertEquals(OVER_RIGHT, routes.best(PEER));
    hops.clear();
    assertNull(routes.best(PEER));
  }

  @Test
  void shouldKeepARouteThatIsAsGoodAsAny() {
    routes.graph(square(false));
    assertEquals(OVER_LEFT, routes.select(PEER, false, Set.of(), null));
    assertEquals(OVER_RIGHT, routes.select(PEER, false, Set.of(), OVER_RIGHT));
    hops.remove(RIGHT);
    assertEquals(OVER_LEFT, routes.select(PEER, false, Set.of(), OVER_RIGHT));
    routes.graph(square(true));
    assertEquals(DIRECT, routes.select(PEER, false, Set.of(), OVER_LEFT));
  }

  @Test
  void shouldLeadADetourOverOtherNodesWhileThereAreAny() {
    routes.graph(square(true));
    assertEquals(OVER_LEFT, routes.select(PEER, true, Set.of(), DIRECT));
    assertFalse(routes.has(DIRECT, PEER, true));
    assertTrue(routes.has(DIRECT, PEER, false));
    hops.removeAll(Set.of(LEFT, RIGHT));
    assertEquals(DIRECT, routes.select(PEER, true, Set.of(), OVER_LEFT));
  }

  @Test
  void shouldAvoidSuspectedRelaysWhileThereIsAPathWithoutThem() {
    routes.graph(square(false));
    assertEquals(OVER_RIGHT, routes.select(PEER, false, Set.of(LEFT), OVER_LEFT));
    assertEquals(OVER_RIGHT, routes.select(PEER, false, Set.of(LEFT), null));
    assertEquals(OVER_RIGHT, routes.select(PEER, false, Set.of(LEFT, RIGHT), OVER_RIGHT));
    routes.graph(square(true));
    assertEquals(DIRECT, routes.select(PEER, false, Set.of(LEFT), OVER_RIGHT));
    assertEquals(DIRECT, routes.select(PEER, false, Set.of(LEFT, RIGHT), OVER_RIGHT));
    assertEquals(OVER_LEFT, routes.select(PEER, true, Set.of(LEFT, RIGHT), OVER_LEFT));
  }

  @Test
  void shouldKeepALongerRouteWhileAnyRelayIsSuspected() {
    SourceRoute longer = new SourceRoute(List.of(SELF, LEFT, RIGHT, PEER));
    routes.graph(square(false));
    assertEquals(OVER_LEFT, routes.select(PEER, false, Set.of(), longer));
    assertEquals(longer, routes.select(PEER, false, Set.of(id(5)), longer));
    assertEquals(OVER_LEFT, routes.select(PEER, false, Set.of(RIGHT), longer));
  }

  @Test
  void shouldFindARouteWithoutSomeRelays() {
    routes.graph(square(false));
    assertEquals(OVER_RIGHT, routes.without(Set.of(LEFT), PEER, false));
    assertNull(routes.without(Set.of(LEFT, RIGHT), PEER, false));
    routes.graph(square(true));
    assertEquals(DIRECT, routes.without(Set.of(LEFT), PEER, false));
    assertEquals(OVER_RIGHT, routes.without(Set.of(LEFT), PEER, true));
  }
}
