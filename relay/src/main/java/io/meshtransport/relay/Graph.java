// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.relay;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * The nodes that pass chunks on or take them, and their cables. Immutable, so that any thread may
 * ask it.
 *
 * <p>A route has as few hops as can be, then the widest narrowest cable, then the lowest ids: all
 * nodes that know the same graph and rates find the same.
 */
final class Graph {
  /** Nothing is known. */
  static final Graph EMPTY = new Graph(List.of(), Set.of(), Set.of());

  private final Map<NodeNumber, Map<NodeNumber, Integer>> rates;
  private final Set<NodeNumber> members;
  private final Set<NodeNumber> willing;

  /**
   * A cable between two nodes.
   *
   * @param rateMbps 0 if unknown
   */
  record Edge(NodeNumber one, NodeNumber other, int rateMbps) {}

  /**
   * @param members nodes that take chunks
   * @param willing those of them that pass on those of others
   */
  Graph(List<Edge> edges, Set<NodeNumber> members, Set<NodeNumber> willing) {
    rates = new HashMap<>();
    this.members = Set.copyOf(members);
    this.willing = Set.copyOf(willing);
    for (Edge edge : edges) {
      if (members.contains(edge.one()) && members.contains(edge.other())) {
        add(edge.one(), edge.other(), edge.rateMbps());
        add(edge.other(), edge.one(), edge.rateMbps());
      }
    }
  }

  private void add(NodeNumber from, NodeNumber to, int rateMbps) {
    // Ascending ids, for equal routes to come out alike everywhere.
    rates.computeIfAbsent(from, node -> new TreeMap<>()).merge(to, rateMbps, Math::max);
  }

  private Graph(
      Map<NodeNumber, Map<NodeNumber, Integer>> rates,
      Set<NodeNumber> members,
      Set<NodeNumber> willing) {
    this.rates = rates;
    this.members = members;
    this.willing = willing;
  }

  /** The same, with nothing passed on by some nodes. */
  Graph without(Collection<NodeNumber> relays) {
    Set<NodeNumber> others = new HashSet<>(willing);
    others.removeAll(relays);
    return new Graph(rates, members, others);
  }

  boolean isMember(NodeNumber node) {
    return members.contains(node);
  }

  /**
   * Finds the route to a node.
   *
   * @param usable whether this node has a hop to a neighbour
   * @return null if there is none of at most {@link ChunkHeader#MAX_HOPS} hops
   */
  SourceRoute route(NodeNumber from, NodeNumber to, Predicate<NodeNumber> usable) {
    Map<NodeNumber, NodeNumber> before = new HashMap<>();
    Map<NodeNumber, Integer> widths = new HashMap<>();
    List<NodeNumber> layer = List.of(from);
    widths.put(from, Integer.MAX_VALUE);
    for (int hops = 1; hops <= ChunkHeader.MAX_HOPS && !layer.isEmpty(); hops++) {
      layer = next(layer, from, usable, before, widths);
      if (before.containsKey(to)) {
        return routeTo(from, to, before);
      }
    }
    return null;
  }

  private List<NodeNumber> next(
      List<NodeNumber> layer,
      NodeNumber from,
      Predicate<NodeNumber> usable,
      Map<NodeNumber, NodeNumber> before,
      Map<NodeNumber, Integer> widths) {
    Map<NodeNumber, Integer> found = new TreeMap<>();
    for (NodeNumber node : layer) {
      if (!node.equals(from) && !willing.contains(node)) {
        continue;
      }
      rates
          .getOrDefault(node, Map.of())
          .forEach(
              (peer, rate) -> {
                int width = Math.min(widths.get(node), rate);
                boolean isOpen = !widths.containsKey(peer) && (node != from || usable.test(peer));
                if (isOpen && width > found.getOrDefault(peer, -1)) {
                  found.put(peer, width);
                  before.put(peer, node);
                }
              });
    }
    widths.putAll(found);
    return new ArrayList<>(found.keySet());
  }

  private static SourceRoute routeTo(
      NodeNumber from, NodeNumber to, Map<NodeNumber, NodeNumber> before) {
    List<NodeNumber> nodes = new ArrayList<>();
    for (NodeNumber node = to; !node.equals(from); node = before.get(node)) {
      nodes.add(node);
    }
    nodes.add(from);
    Collections.reverse(nodes);
    return new SourceRoute(nodes);
  }

  /** The rate of the narrowest cable of a route, in Mb/s; 0 if one is unknown. */
  int widthMbps(SourceRoute route) {
    List<NodeNumber> nodes = route.nodes();
    int width = Integer.MAX_VALUE;
    for (int i = 0; i < route.hops(); i++) {
      Map<NodeNumber, Integer> cables = rates.getOrDefault(nodes.get(i), Map.of());
      width = Math.min(width, cables.getOrDefault(nodes.get(i + 1), 0));
    }
    return width;
  }

  /** Whether all cables and nodes of a route are still there. */
  boolean has(SourceRoute route, Predicate<NodeNumber> usable) {
    List<NodeNumber> nodes = route.nodes();
    for (int i = 0; i < route.hops(); i++) {
      if (!rates.getOrDefault(nodes.get(i), Map.of()).containsKey(nodes.get(i + 1))) {
        return false;
      }
    }
    return usable.test(route.first()) && willing.containsAll(route.between());
  }
}
