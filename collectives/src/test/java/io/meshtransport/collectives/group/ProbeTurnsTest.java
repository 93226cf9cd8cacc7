// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** {@link ProbeTurns} of all ranks of a graph, which wait for each other. */
class ProbeTurnsTest {
  private static JoinedGraph random(int size, long seed) {
    Random random = new Random(seed);
    int percent = random.nextInt(101);
    List<JoinedGraph.Link> links = new ArrayList<>();
    for (int one = 0; one < size; one++) {
      for (int other = one + 1; other < size; other++) {
        int cables = random.nextInt(100) < percent ? 1 + random.nextInt(3) : 0;
        for (int cable = 0; cable < cables; cable++) {
          // Of each rank its own come before those of others, as records are exchanged.
          links.add(
              random.nextInt(links.size() + 1),
              new JoinedGraph.Link(one, other, 0, 0, false, cable));
        }
      }
    }
    return new JoinedGraph(size, links);
  }

  private static List<ProbeTurns> all(JoinedGraph graph) {
    return IntStream.range(0, graph.size()).mapToObj(rank -> ProbeTurns.of(graph, rank)).toList();
  }

  private static JoinedGraph.Link link(int rank, int number, int size) {
    int neighbour = number % size;
    return new JoinedGraph.Link(
        Math.min(rank, neighbour), Math.max(rank, neighbour), 0, 0, false, number / size);
  }

  /** One pass, in which a link is measured as soon as both its ends have it next. */
  @Property(tries = 300)
  void shouldMeasureEachLinkWithoutWaitingForEachOther(
      @ForAll @IntRange(min = 1, max = 16) int size, @ForAll long seed) {
    JoinedGraph graph = random(size, seed);
    List<ArrayDeque<Integer>> left = new ArrayList<>();
    all(graph).forEach(each -> left.add(new ArrayDeque<>(each.links())));
    Set<JoinedGraph.Link> measured = new HashSet<>();
    int steps = 0;
    while (left.stream().anyMatch(each -> !each.isEmpty())) {
      List<Integer> next = left.stream().map(each -> each.isEmpty() ? -1 : each.peek()).toList();
      List<Integer> busy = new ArrayList<>();
      for (int rank = 0; rank < size; rank++) {
        int number = next.get(rank);
        int neighbour = number % size;
        boolean areBothReady = number >= 0 && next.get(neighbour) == rank + number / size * size;
        if (areBothReady) {
          busy.add(rank);
          measured.add(link(rank, number, size));
        }
      }
      assertTrue(!busy.isEmpty(), "all wait for others");
      busy.forEach(rank -> left.get(rank).remove());
      steps++;
    }
    assertEquals(new HashSet<>(graph.links()), measured);
    int degree =
        IntStream.range(0, size)
            .map(
                rank ->
                    (int) IntStream.range(0, size).filter(i -> isLinked(graph, rank, i)).count())
            .max()
            .orElse(0);
    assertTrue(steps <= Math.max(0, 2 * degree - 1) * 3, steps + " steps of up to 3 cables each");
  }

  private static boolean isLinked(JoinedGraph graph, int one, int other) {
    return graph.cables(one, other).length > 0;
  }

  @Property(tries = 100)
  void shouldGiveAllRanksAsManyPasses(
      @ForAll @IntRange(min = 1, max = 16) int size, @ForAll long seed) {
    List<ProbeTurns> turns = all(random(size, seed));
    for (ProbeTurns each : turns) {
      assertEquals(turns.get(0).passes(), each.passes());
      assertTrue(each.passes() >= ProbeTurns.MIN_PASSES && each.passes() <= ProbeTurns.MAX_PASSES);
    }
  }

  @Test
  void shouldMeasureCablesBesideEachOtherOneAfterTheOther() {
    List<JoinedGraph.Link> links =
        List.of(
            new JoinedGraph.Link(0, 2, 0, 0, false, 0),
            new JoinedGraph.Link(0, 1, 0, 0, false, 0),
            new JoinedGraph.Link(0, 1, 0, 0, false, 1));
    ProbeTurns turns = ProbeTurns.of(new JoinedGraph(3, links), 0);
    assertEquals(List.of(1, 1 + 3, 2), turns.links());
    assertEquals(ProbeTurns.MAX_PASSES, turns.passes());
  }

  @Test
  void shouldMeasureLessOftenWhereRanksHaveManyNeighbours() {
    List<JoinedGraph.Link> links = new ArrayList<>();
    for (int one = 0; one < 16; one++) {
      for (int other = one + 1; other < 16; other++) {
        links.add(new JoinedGraph.Link(one, other, 0, 0, false));
      }
    }
    ProbeTurns turns = ProbeTurns.of(new JoinedGraph(16, links), 5);
    assertEquals(15, turns.links().size());
    assertEquals(ProbeTurns.MIN_PASSES, turns.passes());
  }
}
