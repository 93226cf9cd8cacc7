// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Tag;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests {@link OneWayPacker}, {@link Arborescence} and {@link CapacityRows}. */
class OneWayPackerTest {
  private static final double BROADCAST = 0.97;
  private static final double ALL_GATHER = 0.9;

  static Stream<Arguments> graphs() {
    return Stream.of(
        Arguments.of("pair", Graphs.line(2), 1.0, 1.0),
        Arguments.of("triangle", Graphs.mesh(3), 2.0, 1.0),
        Arguments.of("line 4", Graphs.line(4), 1.0, 1 / 3.0),
        Arguments.of("ring 4", Graphs.ring(4, 1), 2.0, 2 / 3.0),
        Arguments.of("mesh 4", Graphs.mesh(4), 3.0, 1.0),
        Arguments.of("mesh 8", Graphs.mesh(8), 7.0, 1.0),
        Arguments.of("star 4", Graphs.star(4), 1.0, 1 / 3.0),
        Arguments.of("triangle with a slow cable", Graphs.ring(3, 0.25), 1.25, 0.625),
        Arguments.of("cube 8", Graphs.cube(3), 3.0, 3 / 7.0));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("graphs")
  void shouldReachTheBounds(String name, LinkGraph graph, double broadcast, double allGather) {
    assertEquals(broadcast, leastCut(graph, 1), 1e-6);
    assertEquals(allGather, leastCut(graph, (1 << graph.size()) - 1), 1e-6);
    CapacityRows rows = CapacityRows.directed(graph);
    double one = rows.bytesPerSecond(new OneWayPacker(graph, 0).pack().get(0)) / Graphs.RATE;
    assertTrue(one >= BROADCAST * broadcast, "broadcast " + one);
    List<List<SpanningTree>> all = packAll(graph);
    double each = rows.bytesPerSecondEach(all) / Graphs.RATE;
    assertTrue(each >= BROADCAST * allGather, "all-gather " + each + ": " + all);
  }

  private static List<List<SpanningTree>> packAll(LinkGraph graph) {
    return new OneWayPacker(graph, IntStream.range(0, graph.size()).toArray()).pack();
  }

  /** Of all sets of ranks: what leaves it per root within, over {@link Graphs#RATE}. */
  private static double leastCut(LinkGraph graph, int roots) {
    double least = Double.POSITIVE_INFINITY;
    for (int set = 1; set < (1 << graph.size()) - 1; set++) {
      double leaving = 0;
      for (GraphLink each : graph.links()) {
        boolean isCut = (set >> each.one() & 1) != (set >> each.other() & 1);
        leaving += isCut ? each.bytesPerSecond() : 0;
      }
      int within = Integer.bitCount(set & roots);
      least = within == 0 ? least : Math.min(least, leaving / within);
    }
    return least / Graphs.RATE;
  }

  @Property(tries = 200)
  @Tag("slow")
  void shouldComeNearTheBoundsOnRandomGraphs(
      @ForAll long seed, @ForAll @IntRange(min = 2, max = 7) int ranks) {
    LinkGraph graph = Graphs.random(new Random(seed), ranks);
    CapacityRows rows = CapacityRows.directed(graph);
    String text = "seed " + seed + ", " + ranks + " ranks: ";
    List<SpanningTree> trees = new OneWayPacker(graph, 0).pack().get(0);
    double one = rows.bytesPerSecond(trees) / Graphs.RATE;
    assertTrue(one >= BROADCAST * leastCut(graph, 1), text + one);
    assertTrue(one <= leastCut(graph, 1) * 1.00001, text + one);
    List<List<SpanningTree>> all = packAll(graph);
    double each = rows.bytesPerSecondEach(all) / Graphs.RATE;
    double bound = leastCut(graph, (1 << ranks) - 1);
    assertTrue(each >= ALL_GATHER * bound, text + each + " of " + bound);
    assertTrue(each <= bound * 1.00001, text + each + " of " + bound);
    trees.forEach(tree -> SpanningTreePackerTest.assertUsesLinks(graph, tree));
    all.forEach(of -> of.forEach(tree -> SpanningTreePackerTest.assertUsesLinks(graph, tree)));
  }

  @Property(tries = 300)
  void shouldFindTheCheapestTreeOfAll(
      @ForAll long seed, @ForAll @IntRange(min = 1, max = 5) int ranks) {
    Random random = new Random(seed);
    double[][] costs = new double[ranks][ranks];
    for (double[] each : costs) {
      for (int head = 0; head < ranks; head++) {
        each[head] = random.nextInt(4) == 0 ? Double.POSITIVE_INFINITY : random.nextInt(9);
      }
    }
    int[] found = Arborescence.cheapest(costs, 0);
    double least = cheapest(costs, new int[ranks], 1);
    assertEquals(
        least, found == null ? Double.POSITIVE_INFINITY : TreeSearch.cost(costs, found), "" + seed);
  }

  /** By trying all parents of all ranks. */
  private static double cheapest(double[][] costs, int[] parents, int rank) {
    parents[0] = -1;
    if (rank == parents.length) {
      return isTree(parents) ? TreeSearch.cost(costs, parents) : Double.POSITIVE_INFINITY;
    }
    double least = Double.POSITIVE_INFINITY;
    for (int parent = 0; parent < parents.length; parent++) {
      parents[rank] = parent;
      least = parent == rank ? least : Math.min(least, cheapest(costs, parents, rank + 1));
    }
    return least;
  }

  private static boolean isTree(int[] parents) {
    for (int rank = 0; rank < parents.length; rank++) {
      int at = rank;
      for (int steps = 0; at > 0 && steps < parents.length; steps++) {
        at = parents[at];
      }
      if (at != 0) {
        return false;
      }
    }
    return true;
  }
}
