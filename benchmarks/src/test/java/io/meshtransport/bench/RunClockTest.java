// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
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

  @Test
  void shouldEndWithItsLastMessageWhereItHasALimit() {
    RunClock limited = RunClock.ofMessages(3);

    assertTrue(limited.isRunning(BEGIN, 0));
    assertTrue(limited.isRunning(BEGIN + 1_000_000_000, 2));
    assertFalse(limited.isRunning(BEGIN + 2_000_000_000L, 3));

    Measurement measured = limited.measurement(BEGIN + 3_000_000_000L, 3, 1);
    assertEquals(3, measured.messages(), "no warm-up");
    assertEquals(3_000_000_000L, measured.nanos());
  }

  @Test
  void shouldMeasureNoFurtherThanToAnEarlierEnd() {
    watch.isRunning(BEGIN, 0);
    watch.isRunning(BEGIN + 10_000, 7);
    watch.end(BEGIN + 30_000, 17);
    watch.end(BEGIN + 40_000, 18);
    assertFalse(watch.isRunning(BEGIN + 40_000, 18));

    Measurement measured = watch.measurementToEnd(20, 1);

    assertEquals(20, measured.total());
    assertEquals(10, measured.messages());
    assertEquals(20_000, measured.nanos());
  }

  @Test
  void shouldAddUpWhatThreadsHaveMeasured() {
    RunClock other = watch.copy();
    for (RunClock each : List.of(watch, other)) {
      each.isRunning(BEGIN, 0);
      each.isRunning(BEGIN + 10_000, 1);
      each.record(each == watch ? 2_000 : 6_000);
      each.isRunning(BEGIN + (each == watch ? 60_000 : 70_000), 4);
    }

    Measurement merged = RunClock.merge(List.of(watch, other), 5);

    assertEquals(8, merged.total());
    assertEquals(6, merged.messages());
    assertEquals(60_000, merged.nanos());
    assertEquals(5, merged.verified());
    assertEquals(3, merged.p99Micros(), 0.01, "half of 6 us");
  }
}
