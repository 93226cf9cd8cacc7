// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.relay;

import java.util.Set;
import java.util.function.Predicate;

/**
 * Selects the routes of one node's own flows: over the nodes and cables of the {@link Graph} as it
 * is known now, and beginning with a neighbour to which there is a hop. It changes no flow.
 *
 * <p>A flow that is a detour avoids the cable that joins its ends, as long as a path over other
 * nodes leads there.
 *
 * <p>Any thread may call it.
 */
final class RouteSelector {
  private final NodeNumber self;
  private final Predicate<NodeNumber> hops;
  private volatile Graph graph = Graph.EMPTY;

  /**
   * @param hops whether there is a hop to a node; any thread may ask
   */
  RouteSelector(NodeNumber self, Predicate<NodeNumber> hops) {
    this.self = self;
    this.hops = hops;
  }

  /** The graph as it is known now. */
  Graph graph() {
    return graph;
  }

  /** The graph is another one. */
  void graph(Graph newGraph) {
    graph = newGraph;
  }

  /** The route that a new flow to a node would take; null if there is none. */
  SourceRoute best(NodeNumber node) {
    return best(graph, node, hops);
  }

  private SourceRoute best(Graph of, NodeNumber node, Predicate<NodeNumber> usable) {
    return of.isMember(node) && !node.equals(self) ? of.route(self, node, usable) : null;
  }

  /**
   * The route of a flow from now on. One that is as good as any is kept: another one costs sending
   * again. While relays are suspected, a longer one is kept as well, as those on a shorter one may
   * have stopped too; but not where a cable leads there.
   *
   * @param suspected relays to avoid while there is a path without them
   * @param before the route that the flow has; null for none
   * @return null if there is none
   */
  SourceRoute select(
      NodeNumber peer, boolean isDetour, Set<NodeNumber> suspected, SourceRoute before) {
    SourceRoute detour = isDetour ? select(peer, around(peer), suspected, before) : null;
    return detour == null ? select(peer, hops, suspected, before) : detour;
  }

  private SourceRoute select(
      NodeNumber peer,
      Predicate<NodeNumber> usable,
      Set<NodeNumber> suspected,
      SourceRoute before) {
    if (suspected.isEmpty()) {
      return keepOrReplace(graph, peer, usable, before, false);
    }
    SourceRoute unsuspected = keepOrReplace(graph.without(suspected), peer, usable, before, true);
    return unsuspected == null ? keepOrReplace(graph, peer, usable, before, true) : unsuspected;
  }

  private SourceRoute keepOrReplace(
      Graph of,
      NodeNumber peer,
      Predicate<NodeNumber> usable,
      SourceRoute before,
      boolean isLongerKept) {
    SourceRoute best = best(of, peer, usable);
    if (before == null || best == null || !of.has(before, usable)) {
      return best;
    }
    boolean isKept = before.hops() == best.hops() || isLongerKept && best.hops() > 1;
    return isKept ? before : best;
  }

  /** The best route of a flow that has none of some relays; null if there is none. */
  SourceRoute without(Set<NodeNumber> relays, NodeNumber peer, boolean isDetour) {
    return graph.without(relays).route(self, peer, usable(peer, isDetour));
  }

  /** Whether a flow may take a route. */
  boolean has(SourceRoute route, NodeNumber peer, boolean isDetour) {
    return graph.has(route, usable(peer, isDetour));
  }

  /** Neighbours to which a flow may send. */
  private Predicate<NodeNumber> usable(NodeNumber peer, boolean isDetour) {
    return isDetour ? around(peer) : hops;
  }

  private Predicate<NodeNumber> around(NodeNumber node) {
    return next -> !next.equals(node) && hops.test(next);
  }
}
