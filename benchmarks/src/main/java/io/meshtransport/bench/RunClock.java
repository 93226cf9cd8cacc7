// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import java.time.Duration;
import org.HdrHistogram.Histogram;

/**
 * Shows a leading end when its warm-up is over and when its time is up, and keeps what the end has
 * measured in between. One thread.
 */
final class RunClock {
  /** Relative error below 0.1 %. */
  private static final int DIGITS = 3;

  private static final double HALF_NANOS_PER_MICRO = 2e3;

  private final Duration warmUp;
  private final Duration time;
  private final Histogram roundTrips = new Histogram(DIGITS);
  private boolean runs;
  private long measureFrom;
  private long stopAt;
  private long from;
  private long messagesBefore;
  private boolean measures;

  RunClock(Duration warmUp, Duration time) {
    this.warmUp = warmUp;
    this.time = time;
  }

  /**
   * Whether to go on. The first call starts the clock.
   *
   * @param now {@link System#nanoTime}
   * @param messages so far
   */
  boolean isRunning(long now, long messages) {
    if (!runs) {
      runs = true;
      measureFrom = now + warmUp.toNanos();
    }
    if (!measures && now - measureFrom >= 0) {
      measures = true;
      from = now;
      // The measured time is complete, even if the last message of the warm-up took long.
      stopAt = now + time.toNanos();
      messagesBefore = messages;
    }
    return !measures || now - stopAt < 0;
  }

  /** One there and back. */
  void record(long roundTripNanos) {
    if (measures) {
      roundTrips.recordValue(roundTripNanos);
    }
  }

  /**
   * What came of it.
   *
   * @param now when the last message was over
   * @param messages up to then
   */
  Measurement measurement(long now, long messages, long checked) {
    return new Measurement(
        messages, messages - messagesBefore, now - from, checked, half(50), half(99));
  }

  private double half(double percentile) {
    return roundTrips.getTotalCount() == 0
        ? 0
        : roundTrips.getValueAtPercentile(percentile) / HALF_NANOS_PER_MICRO;
  }
}
