// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class RunClockTest {
  private static final long BEGIN = Long.MAX_VALUE - 5_000;

  private final RunClock watch = new RunClock(Duration.ofNanos(10_000), Duration.ofNanos(50_000));

  @Test
  void shouldCountWhatComesAfterTheWarmUp() {
    assertTrue(watch.isRunning(BEGIN, 0), "warms up");
    watch.record(900_000);
    assertTrue(watch.isRunning(BEGIN + 10_000, 7), "begins to measure");
    watch.record(4_000);
    watch.record(4_000);
    assertTrue(watch.isRunning(BEGIN + 59_999, 9));
    assertFalse(watch.isRunning(BEGIN + 60_000, 10), "time is up");

    Measurement measured = watch.measurement(BEGIN + 60_000, 10, 2);

    assertEquals(10, measured.total());
    assertEquals(3, measured.messages());
    assertEquals(50_000, measured.nanos());
    assertEquals(2, measured.verified());
    assertEquals(2, measured.medianMicros(), 0.01, "half of 4 us");
    assertEquals(60_000, measured.rate(), 1e-6);
  }

  @Test
  void shouldHaveAllOfItsTimeAfterAWarmUpThatTookTooLong() {
    assertTrue(watch.isRunning(BEGIN, 0));
    assertTrue(watch.isRunning(BEGIN + 1_000_000, 1), "the first message took so long");
    assertTrue(watch.isRunning(BEGIN + 1_049_999, 2));
    assertFalse(watch.isRunning(BEGIN + 1_050_000, 3));
  }
}
