// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class JoinLogTest {
  private static final long SECOND_NS = 1_000_000_000;

  private final JoinLines lines = new JoinLines("mine");
  private long nowNs = -SECOND_NS;
  private final JoinLog log = new JoinLog("mine", () -> nowNs);

  @AfterEach
  void listenNoLonger() {
    lines.close();
  }

  @Test
  void shouldSayWhoIsThereAtEachChange() {
    log.present(List.of("a"));
    log.present(List.of("c", "a"));
    log.present(List.of("a", "c"));
    log.present(List.of("c"));
    assertEquals(
        List.of(
            "INFO mine: 1 is there: [a]",
            "INFO mine: 2 are there: [c, a]",
            "INFO mine: 1 is there: [c]"),
        lines.get());
  }

  @Test
  void shouldWarnAfterSomeSecondsAndThenEverMoreRarely() {
    List<Integer> warnedAt = new ArrayList<>();
    for (int second = 0; second < 2000; second++) {
      int before = lines.get().size();
      log.waits(() -> false, () -> "waits.");
      if (lines.get().size() > before) {
        warnedAt.add(second);
      }
      nowNs += SECOND_NS;
    }
    assertEquals(List.of(5, 15, 35, 75, 155, 315, 615, 915, 1215, 1515, 1815), warnedAt);
    assertEquals("WARN mine: waits.", lines.get().get(0));
  }

  /** Which is found a moment after the first line, where the other program was started late. */
  @Test
  void shouldWarnOnceMoreWhenACauseIsFound() {
    nowNs += JoinLog.FIRST_NS - SECOND_NS;
    log.waits(() -> true, () -> "too early.");
    nowNs += SECOND_NS;
    log.waits(() -> false, () -> "nothing is known.");
    log.waits(() -> false, () -> "nothing is known still.");
    log.waits(() -> true, () -> "a secret differs.");
    log.waits(() -> true, () -> "a secret differs still.");
    log.waits(() -> false, () -> "it has left.");
    assertEquals(
        List.of("WARN mine: nothing is known.", "WARN mine: a secret differs."), lines.get());
  }
}
