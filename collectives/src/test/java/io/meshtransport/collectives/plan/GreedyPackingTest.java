// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.collectives.plan.PackingSimplex.Packed;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * {@link GreedyPacking} and {@link GreedySpanningTrees}, on the graphs that {@link OneWayPacker}
 * and {@link SpanningTreePacker} use them for.
 */
class GreedyPackingTest {
  private static final int RANKS = 16;

  /** A full mesh whose rates all differ, by up to twenty times. */
  private static LinkGraph dense(long seed) {
    Random random = new Random(seed);
    List<GraphLink> links = new ArrayList<>();
    for (int one = 0; one < RANKS; one++) {
      for (int other = one + 1; other < RANKS; other++) {
        links.add(new GraphLink(one, other, (long) (1e9 * (0.05 + 0.95 * random.nextDouble())), 0));
      }
    }
    return new LinkGraph(Graphs.mesh(RANKS).names(), links);
  }

  /** What a root sends, and what every other receives. */
  private static double bound(CapacityRows rows, int root) {
    double[] all = rows.capacities();
    return IntStream.range(0, RANKS)
        .mapToDouble(rank -> rows.capacityOf(rank, all))
        .min()
        .orElseThrow();
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1, 2, 3})
  void shouldReachTheBoundFromEveryRootOfADenseGraph(long seed) {
    LinkGraph graph = dense(seed);
    CapacityRows rows = CapacityRows.directed(graph);
    for (int root = 0; root < RANKS; root++) {
      List<SpanningTree> trees = new OneWayPacker(graph, root).pack().get(0);
      double share = rows.bytesPerSecond(trees) / rows.unit() / bound(rows, root);
      assertTrue(share >= 0.98, "seed " + seed + ", root " + root + ": " + share);
      trees.forEach(tree -> SpanningTreePackerTest.assertUsesLinks(graph, tree));
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1, 2, 3})
  void shouldReachTheBoundOfAnAllReduceOnADenseGraph(long seed) {
    LinkGraph graph = dense(seed);
    CapacityRows rows = CapacityRows.undirected(graph);
    double sum = Arrays.stream(rows.capacities()).sum() / (RANKS - 1);
    double bound = Math.min(sum, bound(rows, 0));
    List<Packed> packed = GreedySpanningTrees.pack(rows, bound, 0.995 * bound);
    double rate = packed.stream().mapToDouble(Packed::amount).sum();
    assertTrue(rate >= 0.995 * bound && rate <= bound * 1.000001, rate + " of " + bound);
    double[] loads = new double[rows.count()];
    packed.forEach(each -> CapacityRows.addTo(loads, each.column().uses(), each.amount()));
    for (int row = 0; row < loads.length; row++) {
      assertTrue(loads[row] <= rows.capacities()[row] * 1.000001, row + ": " + loads[row]);
    }
    TreePacking whole = SpanningTreePacker.pack(graph);
    assertTrue(whole.bytesPerSecond() >= 0.99 * bound * rows.unit());
    whole.trees().forEach(tree -> SpanningTreePackerTest.assertUsesLinks(graph, tree));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, RANKS})
  void shouldPackNoMoreThanLinksCarry(int count) {
    CapacityRows rows = CapacityRows.directed(dense(7));
    int[] roots = IntStream.range(0, count).toArray();
    double wanted = bound(rows, 0) / Math.max(1, count - 1);
    List<List<Packed>> packed = GreedyPacking.pack(rows, roots, wanted, wanted);
    double[] loads = new double[rows.count()];
    packed.forEach(
        of -> of.forEach(each -> CapacityRows.addTo(loads, each.column().uses(), each.amount())));
    for (int row = 0; row < loads.length; row++) {
      assertTrue(loads[row] <= rows.capacities()[row] * 1.000001, row + ": " + loads[row]);
    }
    assertEquals(count, packed.size());
    double rate = GreedyPacking.rate(packed);
    assertTrue(rate > 0.7 * wanted && rate <= wanted * 1.000001, rate + " of " + wanted);
    for (int i = 0; i < count; i++) {
      for (Packed each : packed.get(i)) {
        int[] parents = each.column().parents();
        assertEquals(-1, parents[i]);
        assertEquals(1, Arrays.stream(parents).filter(parent -> parent < 0).count());
      }
    }
  }
}
