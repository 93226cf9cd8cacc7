// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.plan;

import java.util.Arrays;

/**
 * The cheapest tree with a given root where costs differ by direction (Chu and Liu 1965, Edmonds
 * 1967): each node takes its cheapest parent; a circle becomes one node, whose entrances cost what
 * they cost more than the link of the circle that they replace.
 */
final class Arborescence {
  private static final double NONE = Double.POSITIVE_INFINITY;

  private Arborescence() {}

  /** Parents by rank; null if the root does not reach all. */
  static int[] cheapest(double[][] costs, int root) {
    int[] parents = new int[costs.length];
    for (int node = 0; node < parents.length; node++) {
      parents[node] = node == root ? -1 : cheapestParent(costs, node);
      if (node != root && parents[node] < 0) {
        return null;
      }
    }
    boolean[] circle = circle(parents);
    return circle == null ? parents : contracted(costs, root, parents, circle);
  }

  private static int cheapestParent(double[][] costs, int node) {
    int best = -1;
    for (int parent = 0; parent < costs.length; parent++) {
      boolean isCandidate = parent != node && costs[parent][node] < NONE;
      if (isCandidate && (best < 0 || costs[parent][node] < costs[best][node])) {
        best = parent;
      }
    }
    return best;
  }

  /** The nodes of a circle; null if there is none. */
  private static boolean[] circle(int[] parents) {
    for (int start = 0; start < parents.length; start++) {
      int at = start;
      for (int steps = 0; at >= 0 && steps < parents.length; steps++) {
        at = parents[at];
      }
      if (at >= 0) {
        boolean[] circle = new boolean[parents.length];
        for (; !circle[at]; at = parents[at]) {
          circle[at] = true;
        }
        return circle;
      }
    }
    return null;
  }

  /**
   * Solves it with the circle as one node, the last, and opens the circle where that is entered.
   */
  private static int[] contracted(double[][] costs, int root, int[] parents, boolean[] circle) {
    int[] outside = outside(circle);
    int circleNode = outside.length;
    double[][] smaller = new double[circleNode + 1][circleNode + 1];
    int[] entered = new int[circleNode];
    int[] left = new int[circleNode];
    for (double[] each : smaller) {
      Arrays.fill(each, NONE);
    }
    for (int i = 0; i < circleNode; i++) {
      for (int j = 0; j < circleNode; j++) {
        smaller[i][j] = costs[outside[i]][outside[j]];
      }
      for (int in = 0; in < circle.length; in++) {
        if (circle[in]) {
          double entering = costs[outside[i]][in] - costs[parents[in]][in];
          if (entering < smaller[i][circleNode]) {
            smaller[i][circleNode] = entering;
            entered[i] = in;
          }
          if (costs[in][outside[i]] < smaller[circleNode][i]) {
            smaller[circleNode][i] = costs[in][outside[i]];
            left[i] = in;
          }
        }
      }
    }
    int smallerRoot = Arrays.binarySearch(outside, root);
    int[] solved = cheapest(smaller, smallerRoot);
    if (solved == null) {
      return null;
    }
    int[] whole = parents.clone();
    for (int i = 0; i < circleNode; i++) {
      int parent = solved[i];
      whole[outside[i]] = parent < 0 ? -1 : parent == circleNode ? left[i] : outside[parent];
    }
    whole[entered[solved[circleNode]]] = outside[solved[circleNode]];
    return whole;
  }

  private static int[] outside(boolean[] circle) {
    int[] outside = new int[circle.length];
    int count = 0;
    for (int node = 0; node < circle.length; node++) {
      if (!circle[node]) {
        outside[count++] = node;
      }
    }
    return Arrays.copyOf(outside, count);
  }
}
