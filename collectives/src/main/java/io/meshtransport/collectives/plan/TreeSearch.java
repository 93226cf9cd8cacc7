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
    return levels(rows, root, -1);
  }

  /** The same without the links of another rank, which is far then, as is what it cuts off. */
  static int[] levels(CapacityRows rows, int root, int without) {
    int[] levels = new int[rows.ranks()];
    Arrays.fill(levels, FAR);
    levels[root] = 0;
    for (int level = 0; level < rows.ranks(); level++) {
      for (int tail = 0; tail < rows.ranks(); tail++) {
        for (int head = 0; head < rows.ranks() && levels[tail] == level; head++) {
          if (head != without && rows.hasLink(tail, head) && levels[head] > level + 1) {
            levels[head] = level + 1;
          }
        }
      }
    }
    return levels;
  }

  /** The cheapest tree in which each rank is as near to the root as can be. */
  static int[] breadthFirst(double[][] costs, int[] levels) {
    return breadthFirst(costs, levels, new int[levels.length][levels.length]);
  }

  /**
   * Of the trees in which each rank is as near to the root as can be, a cheap one in which colours
   * of links rise on the way from the root as far as they can, or stay equal.
   */
  static int[] breadthFirst(double[][] costs, int[] levels, int[][] colours) {
    int[] parents = new int[levels.length];
    Arrays.fill(parents, -1);
    for (int level = 1; level < levels.length; level++) {
      for (int rank = 0; rank < parents.length; rank++) {
        for (int above = 0; above < parents.length && levels[rank] == level; above++) {
          boolean isAbove =
              levels[above] == level - 1 && costs[above][rank] < Double.POSITIVE_INFINITY;
          if (isAbove && isBetterParent(costs, colours, parents, rank, above)) {
            parents[rank] = above;
          }
        }
      }
    }
    return parents;
  }

  private static boolean isBetterParent(
      double[][] costs, int[][] colours, int[] parents, int rank, int above) {
    int best = parents[rank];
    if (best < 0) {
      return true;
    }
    boolean rises = rises(colours, parents, rank, above);
    return rises == rises(colours, parents, rank, best)
        ? costs[above][rank] < costs[best][rank]
        : rises;
  }

  private static boolean rises(int[][] colours, int[] parents, int rank, int above) {
    int top = parents[above];
    return top < 0 || colours[top][above] <= colours[above][rank];
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
    int[] nearest = new int[ranks];
    Arrays.fill(nearest, -1);
    for (int grown = 1, newest = root; grown < ranks; grown++) {
      int best = -1;
      for (int to = 0; to < ranks; to++) {
        if (depths[to] == FAR) {
          if (depths[newest] < maxDepth && isBetter(costs, depths, newest, to, nearest[to])) {
            nearest[to] = newest;
          }
          if (nearest[to] >= 0
              && (best < 0
                  || costs[nearest[to]][to] < costs[nearest[best]][best]
                  || costs[nearest[to]][to] == costs[nearest[best]][best]
                      && depths[nearest[to]] < depths[nearest[best]])) {
            best = to;
          }
        }
      }
      if (best < 0) {
        return null;
      }
      parents[best] = nearest[best];
      depths[best] = depths[nearest[best]] + 1;
      newest = best;
    }
    return parents;
  }

  private static boolean isBetter(double[][] costs, int[] depths, int from, int to, int than) {
    return costs[from][to] < Double.POSITIVE_INFINITY
        && (than < 0
            || costs[from][to] < costs[than][to]
            || costs[from][to] == costs[than][to] && depths[from] < depths[than]);
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
