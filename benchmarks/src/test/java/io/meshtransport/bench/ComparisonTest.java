// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;

class ComparisonTest {
  private static final double EXACT = 1e-12;

  @Test
  void shouldCallMoreBetterUnlessItIsTime() {
    List<Double> ours = List.of(30.0);
    List<Double> peer = List.of(20.0);

    assertEquals(1.5, Comparison.of("x", ours, peer, "p", "calls/s", false).ratios().get(0), EXACT);
    assertEquals(2 / 3.0, Comparison.of("x", ours, peer, "p", "us", true).ratios().get(0), EXACT);
  }

  @Test
  void shouldCompareWhatRanInTheSameRound() {
    Comparison comparison =
        Comparison.of("x", List.of(9.0, 1.0, 10.0), List.of(3.0, 0.5, 2.0), "p", "us", false);

    assertEquals(List.of(3.0, 2.0, 5.0), comparison.ratios());
    assertEquals(3, Comparison.median(comparison.ratios()), EXACT);
    assertEquals(2, Comparison.min(comparison.ratios()), EXACT);
    assertEquals(5, Comparison.max(comparison.ratios()), EXACT);
  }

  @Test
  void shouldRefuseRoundsOfOneSideOnly() {
    assertThrows(
        IllegalArgumentException.class,
        () -> Comparison.of("x", List.of(9.0), List.of(3.0, 0.5), "p", "us", false));
  }

  @Test
  void shouldTakeTheMiddleOfTwoMedians() {
    assertEquals(2.5, Comparison.median(List.of(4.0, 1.0, 3.0, 2.0)), EXACT);
    assertEquals(7, Comparison.median(List.of(7.0)), EXACT);
  }

  @Test
  void shouldTellSpreadAsAPartOfTheMedian() {
    assertEquals(0.5, Comparison.spread(List.of(8.0, 10.0, 13.0)), EXACT);
    assertEquals(0, Comparison.spread(List.of(8.0)), EXACT);
  }
}
