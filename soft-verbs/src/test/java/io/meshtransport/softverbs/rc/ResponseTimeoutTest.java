// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.rc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** When a silent peer is checked, and when its silence is over its bound. */
class ResponseTimeoutTest {
  private static final long BOUND_NS = 1_600;
  private static final long INTERVAL_NS = 100;

  private final ResponseTimeout timeout = new ResponseTimeout(BOUND_NS);

  @BeforeEach
  void start() {
    timeout.restart(1_000);
  }

  @Test
  void shouldCheckSixteenTimesWithinTheBound() {
    assertEquals(BOUND_NS, timeout.boundNs());
    for (int i = 1; i <= ResponseTimeout.CHECKS; i++) {
      long atNs = 1_000 + i * INTERVAL_NS;
      assertEquals(atNs, timeout.nextCheckNs());
      assertFalse(timeout.isDue(atNs - 1));
      assertFalse(timeout.isOver(atNs - 1));
      assertTrue(timeout.isDue(atNs));
    }
    assertTrue(timeout.isOver(1_000 + BOUND_NS));
  }

  @Test
  void shouldNotCountTimeInWhichThisProgramWasStalled() {
    assertTrue(timeout.isDue(1_100 + 50_000));
    assertEquals(INTERVAL_NS, timeout.silentNs(1_100 + 50_000));
    assertEquals(1_200 + 50_000, timeout.nextCheckNs());
  }

  @Test
  void shouldDateTheSilenceByALaterSignOfLife() {
    timeout.alive(1_500, 200);
    assertEquals(200, timeout.silentNs(1_500));
    timeout.alive(1_500, 300);
    assertEquals(200, timeout.silentNs(1_500), "an earlier sign of life");
    timeout.alive(1_500, FrameStream.NO_SIGN_OF_LIFE);
    assertEquals(200, timeout.silentNs(1_500));
  }

  @Test
  void shouldCheckAShortBoundEveryNanosecond() {
    ResponseTimeout shortest = new ResponseTimeout(1);
    shortest.restart(5);
    assertEquals(6, shortest.nextCheckNs());
  }
}
