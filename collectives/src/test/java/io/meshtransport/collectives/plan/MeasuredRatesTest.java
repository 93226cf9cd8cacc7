// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;

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

  /** As 9.4 Gb/s of TCP on cables of 10, where a host was busy while it measured. */
  @Test
  void shouldPlanForEqualCablesWhereTheyMayBe() {
    LinkGraph planned = MeasuredRates.planned(triangle(1_175_000_000, 600_000_000, 400_000_000, 0));
    assertEquals(10 * GIGABIT, planned.bytesPerSecond(0, 1));
    assertEquals(10 * GIGABIT, planned.bytesPerSecond(1, 2));
    assertEquals(10 * GIGABIT * 5 / 16, planned.bytesPerSecond(0, 2));
  }

  @Property(tries = 200)
  void shouldNotChangeWhatIsRounded(
      @ForAll long seed, @ForAll @IntRange(min = 1, max = 8) int ranks) {
    LinkGraph rounded = MeasuredRates.quantised(Graphs.random(new Random(seed), ranks));
    assertEquals(rounded, MeasuredRates.quantised(rounded));
  }
}
