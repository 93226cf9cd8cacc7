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
 * Packs trees a part of the wanted rate at a time, each root in its turn, each tree by what links
 * have left. On dense graphs whose rates all differ that reaches the bound or comes near it, where
 * the linear program takes hundreds of steps for each root; on others it may end far below. Used
 * once; one thread.
 */
final class GreedyPacking {
  private static final double TOLERANCE = 1e-9;

  /** Parts of the wanted rate that are packed at least, and at most. */
  private static final int MIN_PARTS = 4;

  private static final int MAX_PARTS = 32;

  /** Of a root, in its turn: where links have less left than a part, it takes more of them. */
  private static final int TREES_PER_PART = 8;

  private final CapacityRows rows;
  private final int[] roots;
  private final double wanted;
  private final double part;
  private final double[][] left;
  private final List<Map<List<Integer>, Double>> amounts = new ArrayList<>();

  private GreedyPacking(CapacityRows rows, int[] roots, double wanted, int parts) {
    this.rows = rows;
    this.roots = roots;
    this.wanted = wanted;
    this.part = wanted / parts;
    left = rows.linkCapacities();
    for (int i = 0; i < roots.length; i++) {
      amounts.add(new LinkedHashMap<>());
    }
    for (int i = 0; i < parts && packPart(wanted - i * part); i++) {
      // Each turn packs one part of every root.
    }
  }

  /**
   * The packing with the fewest parts that reaches enough, or the one with the most.
   *
   * @param rows without limits of ranks
   * @param wanted rate of each root, in units of the rows
   * @param enough the least of it
   * @return trees by root, in the order of the roots
   */
  static List<List<Packed>> pack(CapacityRows rows, int[] roots, double wanted, double enough) {
    List<List<Packed>> best = List.of();
    for (int parts = MIN_PARTS; parts <= MAX_PARTS && rate(best) < enough; parts *= 2) {
      List<List<Packed>> packed = new GreedyPacking(rows, roots, wanted, parts).packed();
      best = rate(packed) > rate(best) ? packed : best;
    }
    return best;
  }

  /** What each root has at least. */
  static double rate(List<List<Packed>> packed) {
    return packed.stream()
        .mapToDouble(each -> each.stream().mapToDouble(Packed::amount).sum())
        .min()
        .orElse(0);
  }

  private List<List<Packed>> packed() {
    return amounts.stream().map(this::packed).toList();
  }

  private List<Packed> packed(Map<List<Integer>, Double> trees) {
    List<Packed> packed = new ArrayList<>();
    trees.forEach(
        (parents, amount) -> {
          int[] tree = parents.stream().mapToInt(Integer::intValue).toArray();
          packed.add(new Packed(new Column(tree, 1, rows.uses(tree)), amount));
        });
    return packed;
  }

  /** Returns whether the links had capacity for all of it. */
  private boolean packPart(double needed) {
    boolean isWhole = true;
    for (int i = 0; i < roots.length; i++) {
      double rest = part;
      for (int tries = 0; rest > TOLERANCE * wanted && tries < TREES_PER_PART; tries++) {
        int[] parents = tree(roots[i], needed);
        double amount = parents == null ? 0 : Math.min(rest, least(parents));
        if (amount <= TOLERANCE * wanted) {
          // Nothing has changed: the next try would find the same.
          break;
        }
        use(parents, amount);
        amounts.get(i).merge(Arrays.stream(parents).boxed().toList(), amount, Double::sum);
        rest -= amount;
      }
      isWhole &= rest <= TOLERANCE * wanted;
    }
    return isWhole;
  }

  /** Of what the tree's links have left. */
  private double least(int[] parents) {
    double least = Double.POSITIVE_INFINITY;
    for (int rank = 0; rank < parents.length; rank++) {
      least = parents[rank] < 0 ? least : Math.min(least, left[parents[rank]][rank]);
    }
    return least;
  }

  private void use(int[] parents, double amount) {
    for (int rank = 0; rank < parents.length; rank++) {
      if (parents[rank] >= 0) {
        left[parents[rank]][rank] -= amount;
      }
    }
  }

  /**
   * The root's best link first; then always the rank whose link from the tree is the nearest to its
   * best from any rank, so that those with little left wait until all that they have is there. The
   * other links of a single root serve as far as it can send more than is needed.
   *
   * @return parents by rank; null if links with something left reach not all
   */
  private int[] tree(int root, double needed) {
    int ranks = left.length;
    int[] parents = new int[ranks];
    Arrays.fill(parents, -1);
    boolean[] isIn = new boolean[ranks];
    double[] best = bestOfAll();
    // By rank: how good the best link from the tree is, which comes from the parent so far.
    double[] shares = new double[ranks];
    double spare =
        roots.length > 1
            ? 1
            : Math.max(0, Math.min(1, Arrays.stream(left[root]).sum() / needed - 1));
    int newest = root;
    for (int grown = 1; grown < ranks; grown++) {
      isIn[newest] = true;
      for (int to = 0; to < ranks; to++) {
        if (!isIn[to] && left[newest][to] > TOLERANCE * wanted) {
          double share = left[newest][to] / best[to] * (newest == root ? spare : 1);
          boolean isLower = share == shares[to] && newest < parents[to];
          if (parents[to] < 0 || share > shares[to] || isLower) {
            shares[to] = share;
            parents[to] = newest;
          }
        }
      }
      newest = nearest(parents, isIn, grown == 1 ? left[root] : shares);
      if (newest < 0) {
        return null;
      }
    }
    return parents;
  }

  /** Of those that a link joins with the tree; -1 if none is worth it. */
  private static int nearest(int[] parents, boolean[] isIn, double[] worth) {
    int nearest = -1;
    double most = 0;
    for (int rank = 0; rank < parents.length; rank++) {
      if (!isIn[rank] && parents[rank] >= 0 && worth[rank] > most) {
        most = worth[rank];
        nearest = rank;
      }
    }
    return nearest;
  }

  /** By rank: the most that any link to it has left. */
  private double[] bestOfAll() {
    double[] best = new double[left.length];
    for (double[] from : left) {
      for (int to = 0; to < best.length; to++) {
        best[to] = Math.max(best[to], from[to]);
      }
    }
    return best;
  }
}
