// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.plan;

import io.meshtransport.collectives.plan.PackingSimplex.Column;
import io.meshtransport.collectives.plan.PackingSimplex.Oracle;
import io.meshtransport.collectives.plan.PackingSimplex.Packed;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * Packs spanning trees for an all-reduce: each reduces its share to its root and broadcasts the
 * result from there, so that it uses each of its links once in each direction. At most tau of the
 * graph, the minimum over partitions of the ranks of (rate between parts) / (parts - 1), which the
 * best packing reaches (Nash-Williams and Tutte, 1961).
 *
 * <p>Trees are breadth-first from a rank near the middle where those reach the bound, which they do
 * on full meshes, rings, lines and stars; else any trees, on dense graphs with unequal rates at
 * first by {@link GreedySpanningTrees}. On full meshes they are stars where those come near the
 * bound.
 */
public final class SpanningTreePacker {
  /** Where the linear program stops: the rest is not worth its time. */
  private static final double GAP = 4e-3;

  /**
   * Of the best prices so far, beside those of the simplex; the last finds a tree if there is one.
   */
  private static final double[] SMOOTHING = {0.8, 0.5, 0};

  private static final double TOLERANCE = 1e-9;

  /** Of the bound, for shallow trees to be preferred. */
  private static final double GOOD = 0.995;

  /** Of the bound: stars that reach it are preferred to what reaches more. */
  private static final double GOOD_STARS = 0.9;

  /** Where deeper trees than stars are possible on a full mesh. */
  private static final int MIN_MESH = 4;

  /** Of all weight: lighter trees cost more in rooms and messages than they bring. */
  private static final double LIGHT = 0.02;

  /** Of the bound, after light trees are dropped and shares are rounded: 0.99 remains. */
  private static final double ENOUGH = 0.992;

  private final CapacityRows rows;
  private final int[][] levels;

  private SpanningTreePacker(LinkGraph graph) {
    rows = CapacityRows.undirected(graph);
    levels = new int[graph.size()][];
    for (int root = 0; root < levels.length; root++) {
      levels[root] = TreeSearch.levels(rows, root);
    }
  }

  /** The packing; the same for equal graphs. */
  public static TreePacking pack(LinkGraph graph) {
    return graph.size() == 1
        ? new TreePacking(
            List.of(new SpanningTree(0, List.of(-1), 1)),
            Double.POSITIVE_INFINITY,
            Double.POSITIVE_INFINITY)
        : new SpanningTreePacker(graph).pack();
  }

  private TreePacking pack() {
    double bound = simpleBound();
    return isFullMesh() ? packMesh(bound) : pack(bound);
  }

  private boolean isFullMesh() {
    return levels.length >= MIN_MESH && Arrays.stream(levels).allMatch(each -> depth(each) == 1);
  }

  /**
   * The root of a star adds the elements of all in the order of ranks, as one shot does, so that
   * short and long sums have the same bits. The breadth-first trees of a full mesh are its stars.
   */
  private TreePacking packMesh(double bound) {
    PackingSimplex simplex = new PackingSimplex(rows.capacities());
    simplex.solve(breadthFirst(1));
    TreePacking stars = finish(simplex.packed(), bound);
    if (stars.bytesPerSecond() >= GOOD_STARS * stars.bound()) {
      return stars;
    }
    TreePacking any = pack(bound);
    boolean isGood = stars.bytesPerSecond() >= GOOD_STARS * any.bound();
    return isGood ? new TreePacking(stars.trees(), stars.bytesPerSecond(), any.bound()) : any;
  }

  private TreePacking pack(double bound) {
    if (rows.isDense()) {
      List<Packed> greedy = GreedySpanningTrees.pack(rows, bound, GOOD * bound);
      if (amount(greedy) >= GOOD * bound) {
        return finish(greedy, bound);
      }
    }
    List<List<Packed>> shallow = new ArrayList<>();
    PackingSimplex simplex = new PackingSimplex(rows.capacities());
    for (int depth : depths()) {
      simplex.solve(breadthFirst(depth));
      shallow.add(simplex.packed());
      if (simplex.value() >= GOOD * bound) {
        return finish(simplex.packed(), bound);
      }
    }
    AnyTree any = new AnyTree();
    simplex.solve(any);
    double tau = Math.min(bound, any.bound);
    return shallow.stream()
        .filter(each -> amount(each) >= GOOD * tau)
        .findFirst()
        .map(each -> finish(each, tau))
        .orElseGet(() -> finish(simplex.packed(), tau));
  }

  /** Those of the ranks' breadth-first trees, ascending. */
  private int[] depths() {
    return Arrays.stream(levels).mapToInt(SpanningTreePacker::depth).sorted().distinct().toArray();
  }

  private static int depth(int[] levels) {
    return Arrays.stream(levels).max().orElse(0);
  }

  /**
   * The least of what a rank's links carry, and of the partition into single ranks, whose number of
   * links a tree uses twice.
   */
  private double simpleBound() {
    double[] capacities = rows.capacities();
    double least = Double.POSITIVE_INFINITY;
    double sum = 0;
    for (int rank = 0; rank < rows.ranks(); rank++) {
      double capacity = rows.capacityOf(rank, capacities);
      least = Math.min(least, capacity);
      sum += capacity;
    }
    return Math.min(least, sum / (2 * (rows.ranks() - 1)));
  }

  private Oracle breadthFirst(int maxDepth) {
    return prices -> {
      double[][] costs = rows.costs(prices);
      int[] best = null;
      double least = 1 - GAP;
      for (int[] each : levels) {
        int[] parents = depth(each) > maxDepth ? null : TreeSearch.breadthFirst(costs, each);
        if (parents != null && TreeSearch.cost(costs, parents) < least) {
          least = TreeSearch.cost(costs, parents);
          best = parents;
        }
      }
      return best == null ? null : column(best);
    };
  }

  /**
   * The cheapest of all trees. Whatever the prices, the best packing is at most what the capacities
   * cost / what the cheapest tree costs (duality). Prices of the simplex jump; a tree for prices
   * between those and the best so far brings it on several times faster (Wentges' smoothing).
   */
  private final class AnyTree implements Oracle {
    private final double[] capacities = rows.capacities();
    private double[] best = capacities;
    private double bound = Double.POSITIVE_INFINITY;

    @Override
    public Column find(double[] prices) {
      double value = PackingSimplex.product(capacities, prices);
      for (double weight : SMOOTHING) {
        double[] between =
            between(prices, weight * value / PackingSimplex.product(capacities, best), weight);
        int[] parents = cheapest(between);
        if (value >= (1 - GAP) * bound) {
          return null;
        }
        Column column = column(parents);
        if (PackingSimplex.product(prices, column.uses()) < 1 - TOLERANCE) {
          return column;
        }
      }
      return null;
    }

    /** Also keeps the prices if they prove a lower bound than any before. */
    private int[] cheapest(double[] prices) {
      double[][] costs = rows.costs(prices);
      int[] parents = TreeSearch.growing(costs, 0, rows.ranks());
      double proved = PackingSimplex.product(capacities, prices) / TreeSearch.cost(costs, parents);
      if (proved < bound) {
        bound = proved;
        best = prices;
      }
      return parents;
    }

    private double[] between(double[] prices, double scale, double weight) {
      double[] between = new double[prices.length];
      for (int row = 0; row < prices.length; row++) {
        between[row] = scale * best[row] + (1 - weight) * Math.max(0, prices[row]);
      }
      return between;
    }
  }

  private Column column(int[] parents) {
    return new Column(parents, 1, rows.uses(parents));
  }

  private static double amount(List<Packed> packed) {
    return packed.stream().mapToDouble(Packed::amount).sum();
  }

  private TreePacking finish(List<Packed> packed, double bound) {
    // Stars may be far below the bound; light ones of theirs are dropped all the same.
    List<Packed> kept = withoutLight(packed, Math.min(bound, amount(packed) / GOOD));
    List<SpanningTree> trees = rooted(TreeShares.integers(rows, List.of(kept)).get(0));
    double rate = rows.bytesPerSecond(trees);
    return new TreePacking(trees, rate, Math.max(rate, bound * rows.unit()));
  }

  /**
   * The same trees with roots in their middles, and of those the ranks that are roots of the least.
   */
  private List<SpanningTree> rooted(List<SpanningTree> trees) {
    long[] weights = new long[rows.ranks()];
    List<SpanningTree> rooted = new ArrayList<>();
    for (SpanningTree each : trees) {
      SpanningTree best = null;
      for (int[] parents : TreeSearch.centred(each)) {
        SpanningTree turned = TreeShares.tree(parents, each.weight());
        best = best == null || weights[turned.root()] < weights[best.root()] ? turned : best;
      }
      weights[best.root()] += best.weight();
      rooted.add(best);
    }
    rooted.sort(SpanningTree.ORDER);
    return rooted;
  }

  /** Without as many of the light trees as the bound allows, the lightest first. */
  private static List<Packed> withoutLight(List<Packed> packed, double bound) {
    List<Packed> kept = new ArrayList<>(packed);
    kept.sort(Comparator.comparingDouble(Packed::amount).reversed());
    double rest = amount(packed);
    double light = LIGHT * rest;
    for (int last = kept.size() - 1; last > 0; last--) {
      rest -= kept.get(last).amount();
      if (kept.get(last).amount() >= light || rest < ENOUGH * bound) {
        return kept;
      }
      kept.remove(last);
    }
    return kept;
  }
}
