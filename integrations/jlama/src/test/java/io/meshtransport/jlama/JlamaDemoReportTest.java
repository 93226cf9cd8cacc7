// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jlama;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Verdict and table of the demo; also tests {@link JlamaDemoPlan}. */
class JlamaDemoReportTest {
  private static final LlamaShape SHAPE = JlamaDemoPlan.QUICK.model().shape();

  private static JlamaDemoReport.Way way(String name, int nodes, boolean same) {
    return new JlamaDemoReport.Way(name, nodes, 20.25, 19, 21, 130, same);
  }

  @Test
  void shouldPassWhereAllTokensAreTheSame() {
    JlamaDemoReport report =
        JlamaDemoReport.of(
            SHAPE, 1, List.of(7, 8), List.of(way("alone", 1, true), way("star", 3, true)));

    assertTrue(report.passed());
    assertTrue(report.summary().contains("2 tokens"), report.summary());
    assertTrue(report.table().contains("19.0-21.0"), report.table());
    assertEquals(3, report.table().lines().count());
  }

  @Test
  void shouldFailByTheNameOfTheWayWithOtherTokens() {
    JlamaDemoReport report =
        JlamaDemoReport.of(
            SHAPE, 1, List.of(7, 8), List.of(way("alone", 1, true), way("star", 3, false)));

    assertFalse(report.passed());
    assertEquals("FAIL: other tokens by star", report.result());
    assertTrue(report.table().contains("OTHER"), report.table());
  }

  @Test
  void shouldRefusePlansThatDoNotFitTheModel() {
    RandomLlama model = JlamaDemoPlan.QUICK.model();

    assertThrows(IllegalArgumentException.class, () -> new JlamaDemoPlan(model, "wire", 124, 0, 1));
    assertThrows(IllegalArgumentException.class, () -> new JlamaDemoPlan(model, "wire", 1, 0, 1));
    assertThrows(IllegalArgumentException.class, () -> new JlamaDemoPlan(model, "wire", 4, 0, 0));
    JlamaDemoPlan.HOST.model().shape().checkShards(3);
  }

  @Test
  void shouldCountTokensAfterTheFirst() {
    assertEquals(4, new Generation(List.of(1, 2, 3), 9, 500_000_000).tokensPerSecond());
    assertThrows(IllegalArgumentException.class, () -> new Generation(List.of(1), 9, 1));
  }
}
