// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.plan;

import java.util.ArrayList;
import java.util.List;

/** Trees and paths with the fewest links: what small messages and all-to-all use. */
final class ShortestRoutes {
  /** Of two ranks: more would be more messages for little balance. */
  private static final int MAX_PATHS = 8;

  /** Sums in another order. */
  private static final double ROUNDING = 1e-9;

  private final LinkGraph graph;
  private final CapacityRows rows;
  private final int[][] levels;

  ShortestRoutes(LinkGraph graph) {
    this.graph = graph;
    this.rows = CapacityRows.directed(graph);
    this.levels = new int[graph.size()][];
    for (int root = 0; root < levels.length; root++) {
      levels[root] = TreeSearch.levels(rows, root);
    }
  }

  /**
   * One breadth-first tree of each rank, such that no link is used much more than others. Where
   * that loads no link more, each link has a colour that no other link of its ranks has, and paths
   * go over rising ones: then what a rank sends to a neighbour waits for little, and can be one
   * message.
   */
  List<SpanningTree> flood() {
    List<SpanningTree> balanced = flood(new int[graph.size()][graph.size()]);
    List<SpanningTree> rising = flood(EdgeColours.of(graph.size(), rows::hasLink));
    return rate(rising) * (1 + ROUNDING) >= rate(balanced) ? rising : balanced;
  }

  private double rate(List<SpanningTree> trees) {
    return rows.bytesPerSecondEach(trees.stream().map(List::of).toList());
  }

  private List<SpanningTree> flood(int[][] colours) {
    double[] loads = new double[rows.count()];
    double[] capacities = rows.capacities();
    List<SpanningTree> trees = new ArrayList<>();
    for (int[] each : levels) {
      double[] prices = new double[rows.count()];
      for (int row = 0; row < prices.length; row++) {
        prices[row] = (loads[row] + 1) / capacities[row];
      }
      int[] parents = TreeSearch.breadthFirst(rows.costs(prices), each, colours);
      CapacityRows.addTo(loads, rows.uses(parents), 1);
      trees.add(TreeShares.tree(parents, 1));
    }
    return trees;
  }

  /** By source, then by destination: the shortest paths, with equal weights; none to itself. */
  List<List<RoutedPath>> paths() {
    List<List<RoutedPath>> all = new ArrayList<>();
    for (int source = 0; source < graph.size(); source++) {
      for (int destination = 0; destination < graph.size(); destination++) {
        List<RoutedPath> paths = new ArrayList<>();
        if (source != destination) {
          extend(List.of(source), levels[destination], paths);
        }
        all.add(List.copyOf(paths));
      }
    }
    return all;
  }

  private void extend(List<Integer> path, int[] left, List<RoutedPath> to) {
    int at = path.get(path.size() - 1);
    if (left[at] == 0) {
      to.add(new RoutedPath(path, 1));
      return;
    }
    for (int next = 0; next < left.length && to.size() < MAX_PATHS; next++) {
      if (rows.hasLink(at, next) && left[next] == left[at] - 1) {
        List<Integer> longer = new ArrayList<>(path);
        longer.add(next);
        extend(longer, left, to);
      }
    }
  }
}
