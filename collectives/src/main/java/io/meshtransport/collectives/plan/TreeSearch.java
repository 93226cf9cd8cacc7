// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.plan;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The cheapest trees of a graph whose links cost something, by several rules of what is a tree.
 * Trees are arrays of parents, -1 for the root. Equal costs fall to the shallower tree, then to the
 * lower rank: the same costs give the same tree.
 */
final class TreeSearch {
  /** Far above any depth. */
  private static final int FAR = Integer.MAX_VALUE / 2;

  private TreeSearch() {}

  /** Links from a rank to each rank at the least. */
  static int[] levels(CapacityRows rows, int root) {
    int[] levels = new int[rows.ranks()];
    Arrays.fill(levels, FAR);
    levels[root] = 0;
    for (int level = 0; level < rows.ranks(); level++) {
      for (int tail = 0; tail < rows.ranks(); tail++) {
        for (int head = 0; head < rows.ranks() && levels[tail] == level; head++) {
          if (rows.hasLink(tail, head) && levels[head] > level + 1) {
            levels[head] = level + 1;
          }
        }
      }
    }
    return levels;
  }

  /** The cheapest tree in which each rank is as near to the root as can be. */
  static int[] breadthFirst(double[][] costs, int[] levels) {
    int[] parents = new int[levels.length];
    for (int rank = 0; rank < parents.length; rank++) {
      parents[rank] = -1;
      for (int above = 0; above < parents.length; above++) {
        boolean isAbove =
            levels[above] == levels[rank] - 1 && costs[above][rank] < Double.POSITIVE_INFINITY;
        if (isAbove && (parents[rank] < 0 || costs[above][rank] < costs[parents[rank]][rank])) {
          parents[rank] = above;
        }
      }
    }
    return parents;
  }

  /**
   * A tree that grows by the cheapest link (Prim): the cheapest of all where costs are the same in
   * both directions and no depth is too much; else a cheap one.
   *
   * @return null if no tree of this depth was found
   */
  static int[] growing(double[][] costs, int root, int maxDepth) {
    int ranks = costs.length;
    int[] parents = new int[ranks];
    int[] depths = new int[ranks];
    Arrays.fill(parents, -1);
    Arrays.fill(depths, FAR);
    depths[root] = 0;
    for (int grown = 1; grown < ranks; grown++) {
      int tail = -1;
      int head = -1;
      for (int from = 0; from < ranks; from++) {
        for (int to = 0; to < ranks && depths[from] < maxDepth; to++) {
          if (depths[to] == FAR
              && costs[from][to] < Double.POSITIVE_INFINITY
              && (tail < 0
                  || costs[from][to] < costs[tail][head]
                  || costs[from][to] == costs[tail][head] && depths[from] < depths[tail])) {
            tail = from;
            head = to;
          }
        }
      }
      if (tail < 0) {
        return null;
      }
      parents[head] = tail;
      depths[head] = depths[tail] + 1;
    }
    return parents;
  }

  /** What a tree costs. */
  static double cost(double[][] costs, int[] parents) {
    double sum = 0;
    for (int rank = 0; rank < parents.length; rank++) {
      sum += parents[rank] < 0 ? 0 : costs[parents[rank]][rank];
    }
    return sum;
  }

  /** The same links with each root that makes the tree the shallowest, by root. */
  static List<int[]> centred(SpanningTree tree) {
    int[] parents = tree.parents().stream().mapToInt(Integer::intValue).toArray();
    List<int[]> best = new ArrayList<>();
    int bestDepth = FAR;
    for (int root = 0; root < parents.length; root++) {
      int[] turned = withRoot(parents, root);
      int depth = depth(turned);
      if (depth < bestDepth) {
        best.clear();
        bestDepth = depth;
      }
      if (depth == bestDepth) {
        best.add(turned);
      }
    }
    return best;
  }

  private static int[] withRoot(int[] parents, int root) {
    int[] turned = parents.clone();
    int child = -1;
    for (int at = root; at >= 0; ) {
      int above = parents[at];
      turned[at] = child;
      child = at;
      at = above;
    }
    return turned;
  }

  static int depth(int[] parents) {
    int depth = 0;
    for (int rank = 0; rank < parents.length; rank++) {
      int steps = 0;
      for (int at = rank; parents[at] >= 0; at = parents[at]) {
        steps++;
      }
      depth = Math.max(depth, steps);
    }
    return depth;
  }
}
