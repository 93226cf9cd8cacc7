// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.plan;

import io.meshtransport.collectives.plan.PackingSimplex.Packed;
import java.util.ArrayList;
import java.util.List;

/**
 * Makes trees with integer weights of trees with shares: the smallest integers that lose next to
 * nothing, as 1, 1, 1 for three thirds.
 */
final class TreeShares {
  /** Of the rate, at most: for simple numbers. */
  private static final double LOSS = 5e-4;

  /** Every sum of weights up to this is tried. */
  private static final int SMALL = 64;

  private static final long MAX_SUM = 1_000_000;

  private final CapacityRows rows;
  private final List<List<Packed>> groups;
  private final double[] sums;

  private TreeShares(CapacityRows rows, List<List<Packed>> groups) {
    this.rows = rows;
    this.groups = groups;
    this.sums =
        groups.stream()
            .mapToDouble(each -> each.stream().mapToDouble(Packed::amount).sum())
            .toArray();
  }

  /** Groups of trees that are used at once; each has one at least. */
  static List<List<SpanningTree>> integers(CapacityRows rows, List<List<Packed>> groups) {
    return new TreeShares(rows, groups).smallest();
  }

  private List<List<SpanningTree>> smallest() {
    double exact = rate(MAX_SUM);
    long sum = 1;
    while (sum < MAX_SUM && rate(sum) < exact * (1 - LOSS)) {
      sum += sum < SMALL ? 1 : sum / 4;
    }
    return trees(Math.min(sum, MAX_SUM));
  }

  private long weight(int group, Packed tree, long sum) {
    return Math.round(tree.amount() / sums[group] * sum);
  }

  private double rate(long sum) {
    double[] loads = new double[rows.count()];
    for (int group = 0; group < groups.size(); group++) {
      double rounded = 0;
      for (Packed each : groups.get(group)) {
        rounded += weight(group, each, sum);
      }
      if (rounded == 0) {
        return 0;
      }
      for (Packed each : groups.get(group)) {
        CapacityRows.addTo(loads, each.column().uses(), weight(group, each, sum) / rounded);
      }
    }
    return rows.rate(loads);
  }

  private List<List<SpanningTree>> trees(long sum) {
    List<List<SpanningTree>> trees = new ArrayList<>();
    for (int group = 0; group < groups.size(); group++) {
      List<SpanningTree> of = new ArrayList<>();
      for (Packed each : groups.get(group)) {
        if (weight(group, each, sum) > 0) {
          of.add(tree(each.column().parents(), weight(group, each, sum)));
        }
      }
      of.sort(SpanningTree.ORDER);
      trees.add(List.copyOf(of));
    }
    return trees;
  }

  /** A tree of an array of parents. */
  static SpanningTree tree(int[] parents, long weight) {
    List<Integer> list = new ArrayList<>();
    int root = 0;
    for (int rank = 0; rank < parents.length; rank++) {
      list.add(parents[rank]);
      root = parents[rank] < 0 ? rank : root;
    }
    return new SpanningTree(root, list, weight);
  }
}
