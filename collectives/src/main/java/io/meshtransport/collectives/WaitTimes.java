// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives;

import java.time.Duration;

/** Converts times. Has no state. */
final class WaitTimes {
  private WaitTimes() {}

  /** A time in nanoseconds; the longest one for those that do not fit. */
  static long nanos(Duration duration) {
    try {
      return duration.toNanos();
    } catch (ArithmeticException e) {
      return duration.isNegative() ? 0 : Long.MAX_VALUE;
    }
  }
}
