// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.time;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class WaitTimesTest {
  private static final Duration FOR_EVER = Duration.ofSeconds(Long.MAX_VALUE);
  private static final Duration LONG_OVER = Duration.ofSeconds(Long.MIN_VALUE);
  private static final Duration LONGEST_OVER_IN_NANOSECONDS = Duration.ofNanos(Long.MIN_VALUE);

  @Test
  void shouldTreatADurationThatIsTooLongForNanosecondsAsNoDeadline() {
    assertEquals(Long.MAX_VALUE, WaitTimes.nanos(FOR_EVER));
    assertEquals(0, WaitTimes.nanos(LONG_OVER));
    assertEquals(0, WaitTimes.nanos(LONGEST_OVER_IN_NANOSECONDS));
    assertEquals(0, WaitTimes.nanos(Duration.ofNanos(-1)));
    assertEquals(1_000_000, WaitTimes.nanos(Duration.ofMillis(1)));
  }

  @Test
  void shouldBoundWhatIsAddedToOtherTimes() {
    assertEquals(WaitTimes.MAX_BOUNDED_NS, WaitTimes.boundedNanos(FOR_EVER));
    assertEquals(0, WaitTimes.boundedNanos(LONG_OVER));
    assertEquals(0, WaitTimes.boundedNanos(LONGEST_OVER_IN_NANOSECONDS));
    assertEquals(0, WaitTimes.boundedNanos(Duration.ofNanos(-1)));
    assertEquals(5, WaitTimes.boundedNanos(Duration.ofNanos(5)));
    assertEquals(5, WaitTimes.boundedNanos(5));
    assertEquals(0, WaitTimes.boundedNanos(Long.MIN_VALUE));
    assertEquals(WaitTimes.MAX_BOUNDED_NS, WaitTimes.boundedNanos(Long.MAX_VALUE));
  }

  @Test
  void shouldEndAWaitAtAMomentThatCanBeComparedWithOthers() {
    long endNs = WaitTimes.endNs(FOR_EVER);
    long pastNs = System.nanoTime() - Duration.ofDays(36_500).toNanos();
    assertTrue(endNs - System.nanoTime() > 0);
    assertTrue(endNs - pastNs > 0);
    assertTrue(WaitTimes.endNs(LONG_OVER) - System.nanoTime() <= 0);
    assertTrue(WaitTimes.endNs(LONGEST_OVER_IN_NANOSECONDS) - System.nanoTime() <= 0);
  }
}
