// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.threads;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class YieldBackoffTest {
  private final YieldBackoff backoff = new YieldBackoff();

  private int waitsUntilItMayPoll() {
    int waits = 0;
    while (!backoff.mayPoll()) {
      waits++;
    }
    return waits;
  }

  private int waitsAfterALostCore() {
    backoff.lost();
    return waitsUntilItMayPoll();
  }

  @Test
  void shouldPollUntilItLosesItsCore() {
    assertEquals(0, waitsUntilItMayPoll());
    backoff.paid();
    assertEquals(0, waitsUntilItMayPoll());
  }

  @Test
  void shouldSleepInTwiceAsManyWaitsEachTimeUpToABound() {
    int before = waitsAfterALostCore();
    assertTrue(before > 0);
    for (int i = 0; i < 3; i++) {
      assertEquals(2 * before, waitsAfterALostCore());
      before *= 2;
    }
    for (int i = 0; i < 100; i++) {
      before = waitsAfterALostCore();
    }
    assertEquals(before, waitsAfterALostCore());
  }

  @Test
  void shouldForgetLostCoresOncePollsPay() {
    int first = waitsAfterALostCore();
    waitsAfterALostCore();
    waitsAfterALostCore();
    for (int i = 0; i < 10; i++) {
      backoff.paid();
    }
    assertEquals(first, waitsAfterALostCore());
  }

  @Test
  void shouldTellALostCoreFromAPollInTime() {
    long nearlyOverflown = Long.MAX_VALUE - 1;
    assertTrue(YieldBackoff.isLate(nearlyOverflown, nearlyOverflown + YieldBackoff.LATE_NS));
    assertFalse(YieldBackoff.isLate(nearlyOverflown, nearlyOverflown + YieldBackoff.LATE_NS - 1));
  }
}
