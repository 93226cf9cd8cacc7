// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.plan;

import io.meshtransport.collectives.plan.PackingSimplex.Column;
import io.meshtransport.collectives.plan.PackingSimplex.Packed;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Packs spanning trees that are used up and down, a part of the wanted rate at a time, each of the
 * links that have the most left. On dense graphs that comes as near to the bound as parts are
 * small, in a fiftieth of the linear program's time. Used once; one thread.
 */
final class GreedySpanningTrees {
  private static final double TOLERANCE = 1e-9;

  /** Parts of the wanted rate that are packed at least, and at most. */
  private static final int MIN_PARTS = 32;

  private static final int MAX_PARTS = 256;

  /** For links that have less left than a part. */
  private static final int TREES_PER_PART = 3;

  private final CapacityRows rows;
  private final double wanted;

  /** In both directions the same. */
  private final double[][] left;

  private final Map<List<Integer>, Double> amounts = new LinkedHashMap<>();
  private double packed;

  private GreedySpanningTrees(CapacityRows rows, double wanted, int parts) {
    this.rows = rows;
    this.wanted = wanted;
    left = rows.linkCapacities();
    boolean isLeft = true;
    for (int i = 0; isLeft && i < TREES_PER_PART * parts && packed < wanted; i++) {
      isLeft = packTree(Math.min(wanted / parts, wanted - packed));
    }
  }

  /**
   * The packing with the fewest parts that reaches enough, or the best one.
   *
   * @param rows undirected, without limits of ranks
   * @param wanted rate, in units of the rows
   * @param enough the least of it
   */
  static List<Packed> pack(CapacityRows rows, double wanted, double enough) {
    GreedySpanningTrees best = new GreedySpanningTrees(rows, wanted, MIN_PARTS);
    for (int parts = 2 * MIN_PARTS; parts <= MAX_PARTS && best.packed < enough; parts *= 2) {
      GreedySpanningTrees next = new GreedySpanningTrees(rows, wanted, parts);
      best = next.packed > best.packed ? next : best;
    }
    return best.trees();
  }

  /** Returns false, and packs nothing, where what is left joins not all ranks. */
  private boolean packTree(double atMost) {
    int[] parents = TreeSearch.growing(costs(), 0, left.length);
    if (parents == null) {
      return false;
    }
    double amount = atMost;
    for (int rank = 1; rank < parents.length; rank++) {
      amount = Math.min(amount, left[parents[rank]][rank]);
    }
    for (int rank = 1; rank < parents.length; rank++) {
      left[parents[rank]][rank] -= amount;
      left[rank][parents[rank]] -= amount;
    }
    packed += amount;
    amounts.merge(Arrays.stream(parents).boxed().toList(), amount, Double::sum);
    return true;
  }

  /** The more a link has left, the less it costs. */
  private double[][] costs() {
    double[][] costs = new double[left.length][left.length];
    for (int tail = 0; tail < left.length; tail++) {
      for (int head = 0; head < left.length; head++) {
        boolean isUsable = left[tail][head] > TOLERANCE * wanted;
        costs[tail][head] = isUsable ? -left[tail][head] : Double.POSITIVE_INFINITY;
      }
    }
    return costs;
  }

  private List<Packed> trees() {
    List<Packed> trees = new ArrayList<>();
    amounts.forEach(
        (parents, amount) -> {
          int[] tree = parents.stream().mapToInt(Integer::intValue).toArray();
          trees.add(new Packed(new Column(tree, 1, rows.uses(tree)), amount));
        });
    return trees;
  }
}
