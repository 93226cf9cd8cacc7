package io.meshtransport.transport;

import java.time.Duration;

/** Durations as nanoseconds. */
final class Durations {
  private Durations() {}

  /**
   * Nanoseconds of a duration; the longest there are if it is longer than that, about 292 years.
   */
  static long nanos(Duration duration) {
    try {
      return duration.toNanos();
    } catch (ArithmeticException e) {
      return duration.isNegative() ? 0 : Long.MAX_VALUE;
    }
  }
}
