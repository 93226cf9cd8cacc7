// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.plan;

import io.meshtransport.collectives.plan.PackingSimplex.Column;
import io.meshtransport.collectives.plan.PackingSimplex.Oracle;
import io.meshtransport.collectives.plan.PackingSimplex.Packed;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Packs trees that are used one way, from some roots at once: one root for a broadcast, which
 * reaches min over ranks of maxflow(root, rank) (Edmonds, 1973), all for an all-gather. The reverse
 * ways are reduce and reduce-scatter. The linear program maximises the rate that every root gets.
 * Breadth-first trees come first, with the load of a rank split over its parents; deeper ones only
 * where those lose too much. On a dense graph with unequal rates trees are packed greedily ({@link
 * GreedyPacking}), and by the program only where that loses too much.
 */
final class OneWayPacker {
  /** Of the bound, for breadth-first trees to be kept. */
  private static final double GOOD = 0.98;

  /** Of the bound, for the greedy packing to end. */
  private static final double ENOUGH = 0.995;

  private static final double GAP = 5e-3;
  private static final double TOLERANCE = 1e-9;

  /** Of its root's weight: lighter trees are dropped if the rest is as good. */
  private static final double LIGHT = 0.02;

  private static final double KEPT = 0.99;

  /** The steps of the linear program: a dense graph of 16 ranks ends within a second. */
  private static final int STEPS_PER_ROW = 6;

  /** Finds a cheap tree with a root. */
  private interface Search {
    int[] tree(double[][] costs, int root);
  }

  private final CapacityRows rows;
  private final int[] roots;
  private final int[][] levels;

  OneWayPacker(LinkGraph graph, int... roots) {
    this.rows = CapacityRows.directed(graph);
    this.roots = roots.clone();
    this.levels = new int[graph.size()][];
    for (int root : roots) {
      levels[root] = TreeSearch.levels(rows, root);
    }
  }

  /** Trees of each root, in the order of the roots. */
  List<List<SpanningTree>> pack() {
    double[] capacities = Arrays.copyOf(rows.capacities(), rows.count() + roots.length);
    PackingSimplex simplex = new PackingSimplex(capacities, STEPS_PER_ROW * capacities.length);
    double bound = simpleBound();
    List<List<Packed>> greedy =
        rows.isDense() ? GreedyPacking.pack(rows, roots, bound, ENOUGH * bound) : List.of();
    if (GreedyPacking.rate(greedy) >= GOOD * bound) {
      return TreeShares.integers(rows, withoutLight(greedy));
    }
    int eccentricity = Arrays.stream(roots).map(this::eccentricity).max().orElse(0);
    List<Search> searches =
        List.of(
            (costs, root) -> cheapest(costs, root, greedy),
            (costs, root) -> TreeSearch.breadthFirst(costs, levels[root]),
            roots.length == 1 ? new OverNeighbour(roots[0]) : (costs, root) -> null,
            (costs, root) -> TreeSearch.growing(costs, root, eccentricity + 1),
            (costs, root) -> TreeSearch.growing(costs, root, rows.ranks()),
            Arborescence::cheapest);
    for (Search each : searches) {
      if (simplex.value() < GOOD * bound) {
        simplex.solve(new Cheapest(each));
      }
    }
    return TreeShares.integers(rows, withoutLight(groups(simplex.packed())));
  }

  /** Of a root's trees; null of none. */
  private static int[] cheapest(double[][] costs, int root, List<List<Packed>> trees) {
    return trees.stream()
        .flatMap(List::stream)
        .filter(each -> each.column().parents()[root] < 0)
        .map(each -> each.column().parents())
        .min(Comparator.comparingDouble(each -> TreeSearch.cost(costs, each)))
        .orElse(null);
  }

  /**
   * Trees in which the root sends to one neighbour alone, and that to all by a breadth-first tree:
   * on full meshes and rings they use all that the root's links carry.
   */
  private final class OverNeighbour implements Search {
    private final int[][] levelsWithoutRoot;

    OverNeighbour(int root) {
      levelsWithoutRoot = new int[rows.ranks()][];
      for (int neighbour = 0; neighbour < rows.ranks(); neighbour++) {
        if (rows.hasLink(root, neighbour)) {
          levelsWithoutRoot[neighbour] = TreeSearch.levels(rows, neighbour, root);
        }
      }
    }

    @Override
    public int[] tree(double[][] costs, int root) {
      int[] best = null;
      for (int neighbour = 0; neighbour < levelsWithoutRoot.length; neighbour++) {
        int[] from = levelsWithoutRoot[neighbour];
        if (from != null) {
          int[] parents = TreeSearch.breadthFirst(costs, from);
          parents[root] = -1;
          parents[neighbour] = root;
          boolean isWhole = Arrays.stream(parents).filter(each -> each < 0).count() == 1;
          if (isWhole
              && (best == null || TreeSearch.cost(costs, parents) < TreeSearch.cost(costs, best))) {
            best = parents;
          }
        }
      }
      return best;
    }
  }

  private int eccentricity(int root) {
    return Arrays.stream(levels[root]).max().orElse(0);
  }

  /** What a rank receives from all the other roots, and what a single root sends. */
  private double simpleBound() {
    double[] all = rows.capacities();
    double least = roots.length == 1 ? rows.capacityOf(roots[0], all) : Double.POSITIVE_INFINITY;
    for (int rank = 0; rank < rows.ranks(); rank++) {
      int self = rank;
      long others = Arrays.stream(roots).filter(root -> root != self).count();
      least = others == 0 ? least : Math.min(least, rows.capacityOf(rank, all) / others);
    }
    return least;
  }

  private final class Cheapest implements Oracle {
    private final Search search;

    Cheapest(Search search) {
      this.search = search;
    }

    @Override
    public Column find(double[] prices) {
      double worth = 0;
      for (int i = 0; i < roots.length; i++) {
        worth += prices[rows.count() + i];
      }
      if (worth < 1 - TOLERANCE) {
        return rate();
      }
      double[][] costs = rows.costs(prices);
      double sum = 0;
      double most = TOLERANCE;
      Column best = null;
      for (int i = 0; i < roots.length; i++) {
        int[] parents = search.tree(costs, roots[i]);
        double cost = parents == null ? Double.POSITIVE_INFINITY : TreeSearch.cost(costs, parents);
        sum += cost;
        if (prices[rows.count() + i] - cost > most) {
          most = prices[rows.count() + i] - cost;
          best = column(parents, i);
        }
      }
      // By duality; where the search is no exact one this ends a stage, and the next goes on.
      return sum >= (1 - GAP) * worth ? null : best;
    }
  }

  /** The variable that is maximised: what each root gets at least. */
  private Column rate() {
    double[] uses = new double[rows.count() + roots.length];
    Arrays.fill(uses, rows.count(), uses.length, 1);
    return new Column(null, 1, uses);
  }

  private Column column(int[] parents, int root) {
    double[] uses = Arrays.copyOf(rows.uses(parents), rows.count() + roots.length);
    uses[rows.count() + root] = -1;
    return new Column(parents, 0, uses);
  }

  private List<List<Packed>> groups(List<Packed> packed) {
    return IntStream.of(roots)
        .mapToObj(
            root -> packed.stream().filter(each -> each.column().parents()[root] < 0).toList())
        .toList();
  }

  private List<List<Packed>> withoutLight(List<List<Packed>> groups) {
    List<List<Packed>> heavy = new ArrayList<>();
    for (List<Packed> group : groups) {
      double sum = group.stream().mapToDouble(Packed::amount).sum();
      heavy.add(group.stream().filter(each -> each.amount() >= LIGHT * sum).toList());
    }
    return heavy.stream().noneMatch(List::isEmpty) && rate(heavy) >= KEPT * rate(groups)
        ? heavy
        : groups;
  }

  private double rate(List<List<Packed>> groups) {
    double[] loads = new double[rows.count()];
    for (List<Packed> group : groups) {
      double sum = group.stream().mapToDouble(Packed::amount).sum();
      group.forEach(each -> CapacityRows.addTo(loads, each.column().uses(), each.amount() / sum));
    }
    return rows.rate(loads);
  }
}
