// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.poll;

import static io.meshtransport.transport.poll.SweepTimer.MIN_SWEEP_NS;
import static io.meshtransport.transport.poll.Watched.NEVER;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class SweepTimerTest {
  private static final long START_NS = 1_000_000_000L;

  private final SweepTimer timer = new SweepTimer(START_NS);

  @Test
  void shouldSweepNothingThatNobodyCalledFor() {
    assertFalse(timer.isSet());
    assertEquals(NEVER, timer.untilDueNs(START_NS));
    assertFalse(timer.beginIfDue(START_NS + 10 * MIN_SWEEP_NS));
  }

  @Test
  void shouldSweepOnceWhenItIsDue() {
    long dueNs = START_NS + 3 * MIN_SWEEP_NS;
    assertTrue(timer.lower(dueNs));
    assertTrue(timer.isSet());
    assertEquals(3 * MIN_SWEEP_NS, timer.untilDueNs(START_NS));
    assertFalse(timer.beginIfDue(dueNs - 1));
    assertTrue(timer.beginIfDue(dueNs));
    assertFalse(timer.isSet());
    assertFalse(timer.beginIfDue(dueNs + 10 * MIN_SWEEP_NS));
  }

  @Test
  void shouldBeDueAtTheEarliestThatWasCalledFor() {
    assertTrue(timer.lower(START_NS + 20 * MIN_SWEEP_NS));
    assertTrue(timer.lower(START_NS + 10 * MIN_SWEEP_NS));
    assertFalse(timer.lower(START_NS + 30 * MIN_SWEEP_NS));
    assertFalse(timer.lower(START_NS + 10 * MIN_SWEEP_NS));
    assertEquals(10 * MIN_SWEEP_NS, timer.untilDueNs(START_NS));
  }

  @Test
  void shouldLetDeadlinesWaitForTheNextSweep() {
    timer.lower(START_NS);
    long soonNs = START_NS + 1;
    assertFalse(timer.beginIfDue(soonNs));
    assertEquals(MIN_SWEEP_NS - 1, timer.untilDueNs(soonNs));
    assertTrue(timer.beginIfDue(START_NS + MIN_SWEEP_NS));
  }

  @Test
  void shouldBeDueNowOnceBothHavePassed() {
    timer.lower(START_NS + 2 * MIN_SWEEP_NS);
    assertEquals(0, timer.untilDueNs(START_NS + 5 * MIN_SWEEP_NS));
  }
}
