// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.map;

import io.meshtransport.neighbours.verdict.NodeState;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The paths that relays take: those of the fewest cables, and of these the one whose narrowest
 * cable is widest, as {@code docs/RELAY.md} says. A pure function of nodes and cables.
 */
final class MapPaths {
  /** As many cables as a source route may have. */
  private static final int MAX_CABLES = 8;

  private final List<MapNode> nodes;

  /** Mbit/s of the best cable that works between two nodes; 0 without one. */
  private final int[][] rates;

  private MapPaths(List<MapNode> nodes, List<MapCable> cables) {
    this.nodes = nodes;
    rates = new int[nodes.size()][nodes.size()];
    List<String> ids = nodes.stream().map(MapNode::id).toList();
    for (MapCable cable : cables) {
      int one = ids.indexOf(cable.one().node());
      int other = ids.indexOf(cable.other().node());
      if (cable.state() == CableState.UP && one >= 0 && other >= 0) {
        int rate = Math.max(1, cable.rateMbps());
        rates[one][other] = Math.max(rates[one][other], rate);
        rates[other][one] = rates[one][other];
      }
    }
  }

  /** All paths between nodes that have relays and no cable that works. */
  static List<MapPath> of(List<MapNode> nodes, List<MapCable> cables) {
    return new MapPaths(nodes, cables).all();
  }

  private List<MapPath> all() {
    List<MapPath> paths = new ArrayList<>();
    for (int from = 0; from < nodes.size(); from++) {
      if (isEnd(from)) {
        int[] before = search(from);
        for (int to = from + 1; to < nodes.size(); to++) {
          if (isEnd(to) && before[to] >= 0 && before[to] != from) {
            paths.add(path(from, to, before));
          }
        }
      }
    }
    return paths;
  }

  private boolean isEnd(int node) {
    return nodes.get(node).relayed() && nodes.get(node).state() == NodeState.ALIVE;
  }

  /** The node before each on its best path; -1 where none leads. */
  private int[] search(int from) {
    int[] before = new int[nodes.size()];
    Arrays.fill(before, -1);
    before[from] = from;
    int[] narrowest = new int[nodes.size()];
    narrowest[from] = Integer.MAX_VALUE;
    List<Integer> ring = List.of(from);
    for (int cables = 1; cables <= MAX_CABLES && !ring.isEmpty(); cables++) {
      int[] found = new int[nodes.size()];
      Arrays.fill(found, -1);
      int[] widths = new int[nodes.size()];
      for (int at : ring) {
        for (int next = 0; next < nodes.size(); next++) {
          int width = Math.min(narrowest[at], rates[at][next]);
          if (before[next] < 0 && isEnd(next) && width > widths[next]) {
            widths[next] = width;
            found[next] = at;
          }
        }
      }
      List<Integer> nextRing = new ArrayList<>();
      for (int node = 0; node < nodes.size(); node++) {
        if (found[node] >= 0) {
          before[node] = found[node];
          narrowest[node] = widths[node];
          if (nodes.get(node).relaying()) {
            nextRing.add(node);
          }
        }
      }
      ring = nextRing;
    }
    return before;
  }

  private MapPath path(int from, int to, int[] before) {
    List<String> via = new ArrayList<>();
    for (int node = before[to]; node != from; node = before[node]) {
      via.add(0, nodes.get(node).label());
    }
    MapNode one = nodes.get(from);
    MapNode other = nodes.get(to);
    String text = one.label() + " - " + String.join(" - ", via) + " - " + other.label();
    return new MapPath(one.id(), other.id(), via, text);
  }
}
