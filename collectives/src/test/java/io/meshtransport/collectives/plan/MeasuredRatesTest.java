// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MeasuredRatesTest {
  private static final long GIGABIT = 125_000_000L;

  @ParameterizedTest
  @ValueSource(longs = {1, 10, 20, 25, 40, 50, 100, 200, 400, 800})
  void shouldKeepTheRatesOfStandards(long gigabits) {
    assertEquals(gigabits * GIGABIT, MeasuredRates.preferred(gigabits * GIGABIT));
    assertEquals(gigabits * GIGABIT, MeasuredRates.preferred(gigabits * GIGABIT * 94 / 100));
  }

  private static LinkGraph triangle(long one, long two, long three, long latencyNs) {
    return new LinkGraph(
        List.of("a", "b", "c"),
        List.of(
            new GraphLink(0, 1, one, latencyNs),
            new GraphLink(1, 2, two, latencyNs),
            new GraphLink(0, 2, three, latencyNs)),
        List.of(0L, one, 2 * one));
  }

  @Test
  void shouldMakeCablesEqualThatMeasureNearlyTheSame() {
    LinkGraph rounded = MeasuredRates.quantised(triangle(970, 1000, 985, 4600));
    assertEquals(1, rounded.links().stream().map(GraphLink::bytesPerSecond).distinct().count());
    assertEquals(4096, rounded.maxLatencyNs());
    assertEquals(List.of(0L, 1000L, 2000L), rounded.limits());
  }

  @Test
  void shouldRoundSlowerCablesToSharesOfTheFastest() {
    long hundred = 100 * GIGABIT;
    LinkGraph rounded =
        MeasuredRates.quantised(triangle(hundred, hundred * 26 / 100, hundred / 100, 0));
    assertEquals(hundred, rounded.bytesPerSecond(0, 1));
    assertEquals(hundred / 4, rounded.bytesPerSecond(1, 2));
    assertEquals(hundred / 128, rounded.bytesPerSecond(0, 2));
    assertEquals(0, rounded.maxLatencyNs());
  }

  /**
   * As a map has them: what a cable is said to carry is no measurement that a busy host lessens.
   */
  @Test
  void shouldPlanForTheRatesThatThereAre() {
    LinkGraph nominal =
        new LinkGraph(
            List.of("a", "b", "c"),
            List.of(
                new GraphLink(0, 1, 100 * GIGABIT, 5_000),
                new GraphLink(1, 2, 100 * GIGABIT, 9_000),
                new GraphLink(0, 2, 40 * GIGABIT, 0)));
    LinkGraph planned = MeasuredRates.planned(nominal);
    assertEquals(100 * GIGABIT, planned.bytesPerSecond(1, 2));
    assertEquals(40 * GIGABIT, planned.bytesPerSecond(0, 2), 100 * GIGABIT / 32);
    assertEquals(4096, planned.maxLatencyNs());
    TreePacking packing = SpanningTreePacker.pack(planned);
    double rate = CapacityRows.undirected(nominal).bytesPerSecond(packing.trees());
    assertTrue(rate >= 0.95 * SpanningTreePacker.pack(nominal).bound(), packing.toString());
  }

  @Property(tries = 200)
  void shouldNotChangeWhatIsRounded(
      @ForAll long seed, @ForAll @IntRange(min = 1, max = 8) int ranks) {
    LinkGraph rounded = MeasuredRates.quantised(Graphs.random(new Random(seed), ranks));
    assertEquals(rounded, MeasuredRates.quantised(rounded));
  }
}
