// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli.map;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;

/**
 * Positions for the nodes of a graph, such that the distance of two nodes is near the number of
 * edges between them: stress majorization (Gansner, Koren, North: Graph Drawing by Stress
 * Majorization, 2004), one node at a time, from a circle. A line becomes straight, a ring round.
 * The same graph has the same positions, on every machine: StrictMath alone.
 */
public final class GraphLayout {
  private static final int ITERATIONS = 2000;
  private static final double EPSILON = 1e-6;

  /** A shape as wide as high within this share has no main axis. */
  private static final double ROUND = 1e-3;

  private static final double GAP_OF_PARTS = 1.2;

  private final List<List<Integer>> neighbours = new ArrayList<>();
  private final double[][] positions;

  private GraphLayout(int nodes, List<int[]> edges) {
    positions = new double[nodes][2];
    for (int i = 0; i < nodes; i++) {
      neighbours.add(new ArrayList<>());
    }
    for (int[] edge : edges) {
      neighbours.get(edge[0]).add(edge[1]);
      neighbours.get(edge[1]).add(edge[0]);
    }
  }

  /**
   * x and y of each node, in lengths of an edge; parts without a connection are side by side.
   *
   * @param edges pairs of numbers of nodes
   */
  public static double[][] of(int nodes, List<int[]> edges) {
    GraphLayout layout = new GraphLayout(nodes, edges);
    boolean[] isPlaced = new boolean[nodes];
    double left = 0;
    for (int first = 0; first < nodes; first++) {
      if (!isPlaced[first]) {
        List<Integer> part = layout.depthFirst(first, isPlaced);
        layout.place(part);
        left = layout.moveRightOf(left, part) + GAP_OF_PARTS;
      }
    }
    return layout.positions;
  }

  /** A part in an order that puts the nodes of a line or a ring one behind the other. */
  private List<Integer> depthFirst(int first, boolean[] isPlaced) {
    List<Integer> order = new ArrayList<>();
    Deque<Integer> stack = new ArrayDeque<>(List.of(first));
    while (!stack.isEmpty()) {
      int node = stack.pop();
      if (!isPlaced[node]) {
        isPlaced[node] = true;
        order.add(node);
        List<Integer> next = neighbours.get(node);
        for (int i = next.size() - 1; i >= 0; i--) {
          stack.push(next.get(i));
        }
      }
    }
    return order;
  }

  private int[] hopsFrom(int node) {
    int[] hops = new int[positions.length];
    Arrays.fill(hops, -1);
    hops[node] = 0;
    Deque<Integer> border = new ArrayDeque<>(List.of(node));
    while (!border.isEmpty()) {
      int at = border.poll();
      for (int next : neighbours.get(at)) {
        if (hops[next] < 0) {
          hops[next] = hops[at] + 1;
          border.add(next);
        }
      }
    }
    return hops;
  }

  private void place(List<Integer> part) {
    int size = part.size();
    double radius = Math.max(1, size / (2 * Math.PI));
    int[][] hops = new int[positions.length][];
    for (int i = 0; i < size; i++) {
      double angle = 2 * Math.PI * i / size - Math.PI / 2;
      positions[part.get(i)][0] = radius * StrictMath.cos(angle);
      positions[part.get(i)][1] = radius * StrictMath.sin(angle);
      hops[part.get(i)] = hopsFrom(part.get(i));
    }
    for (int i = 0; i < ITERATIONS && size > 1; i++) {
      part.forEach(node -> improve(node, part, hops[node]));
    }
    turn(part);
  }

  /** Moves a node to the weighted mean of where the others would have it. */
  private void improve(int node, List<Integer> part, int[] hops) {
    double weights = 0;
    double x = 0;
    double y = 0;
    for (int other : part) {
      if (other != node) {
        double weight = 1.0 / ((double) hops[other] * hops[other]);
        double dx = positions[node][0] - positions[other][0];
        double dy = positions[node][1] - positions[other][1];
        double pull = hops[other] / Math.max(EPSILON, Math.sqrt(dx * dx + dy * dy));
        weights += weight;
        x += weight * (positions[other][0] + pull * dx);
        y += weight * (positions[other][1] + pull * dy);
      }
    }
    positions[node][0] = x / weights;
    positions[node][1] = y / weights;
  }

  /** Lays the main axis across; the first node is at the left, or on top of a round shape. */
  private void turn(List<Integer> part) {
    double[] center = new double[2];
    for (int node : part) {
      center[0] += positions[node][0] / part.size();
      center[1] += positions[node][1] / part.size();
    }
    double xx = 0;
    double yy = 0;
    double xy = 0;
    for (int node : part) {
      double dx = positions[node][0] -= center[0];
      double dy = positions[node][1] -= center[1];
      xx += dx * dx;
      yy += dy * dy;
      xy += dx * dy;
    }
    boolean isRound = Math.abs(xx - yy) + 2 * Math.abs(xy) <= ROUND * (xx + yy);
    double[] first = positions[part.get(0)];
    double angle =
        isRound
            ? -Math.PI / 2 - StrictMath.atan2(first[1], first[0])
            : -StrictMath.atan2(2 * xy, xx - yy) / 2;
    // Four nodes with one on top are a rhombus; a quarter less makes them a square.
    if (isRound && part.size() == 4) {
      angle -= Math.PI / 4;
    }
    rotate(part, StrictMath.cos(angle), StrictMath.sin(angle));
    if (!isRound && first[0] > EPSILON) {
      part.forEach(node -> positions[node][0] = -positions[node][0]);
    }
  }

  private void rotate(List<Integer> part, double cos, double sin) {
    for (int node : part) {
      double x = positions[node][0];
      double y = positions[node][1];
      positions[node][0] = x * cos - y * sin;
      positions[node][1] = x * sin + y * cos;
    }
  }

  /** Returns where the part ends. */
  private double moveRightOf(double left, List<Integer> part) {
    double min = part.stream().mapToDouble(node -> positions[node][0]).min().orElse(0);
    part.forEach(node -> positions[node][0] += left - min);
    return part.stream().mapToDouble(node -> positions[node][0]).max().orElse(left);
  }
}
