// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.time;

import java.time.Duration;

/**
 * How long a caller waits, in nanoseconds, for any {@link Duration}: one that is too long for that
 * is as good as no limit, and one that is over already, as what is left of a deadline may be, is no
 * wait. Has no state.
 */
public final class WaitTimes {
  /** About 73 years. The sum of a moment and more than that could not be compared with others. */
  public static final long MAX_BOUNDED_NS = Long.MAX_VALUE >> 2;

  private WaitTimes() {}

  /**
   * Nanoseconds of a duration. Long.MAX_VALUE, which means no deadline, if it is too long for that,
   * about 292 years; 0 if it is negative.
   */
  public static long nanos(Duration duration) {
    try {
      return Math.max(0, duration.toNanos());
    } catch (ArithmeticException e) {
      return duration.isNegative() ? 0 : Long.MAX_VALUE;
    }
  }

  /** As {@link #nanos}, 0 to {@link #MAX_BOUNDED_NS}: what may be added to other times. */
  public static long boundedNanos(Duration duration) {
    return Math.min(nanos(duration), MAX_BOUNDED_NS);
  }

  /** The same for nanoseconds that a caller gives: Long.MIN_VALUE is not almost for ever. */
  public static long boundedNanos(long ns) {
    return Math.max(0, Math.min(ns, MAX_BOUNDED_NS));
  }

  /**
   * When a wait ends that begins now, on the clock of System.nanoTime: now if the duration is
   * negative, and at most {@link #MAX_BOUNDED_NS} from now.
   */
  public static long endNs(Duration duration) {
    return System.nanoTime() + boundedNanos(duration);
  }
}
