// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * A moment at which waiting ends. A value.
 *
 * @param clock what the moment is of, in nanoseconds
 */
record Deadline(long atNs, LongSupplier clock) {
  static Deadline after(Duration timeout) {
    return new Deadline(System.nanoTime() + nanos(timeout), System::nanoTime);
  }

  /** A time in nanoseconds; at most half of the longest one, which is longer than any wait. */
  static long nanos(Duration timeout) {
    try {
      return Math.min(timeout.toNanos(), Long.MAX_VALUE / 2);
    } catch (ArithmeticException e) {
      return timeout.isNegative() ? 0 : Long.MAX_VALUE / 2;
    }
  }

  /** This one, or one in so many nanoseconds. */
  Deadline sooner(long ns) {
    return leftNs() <= ns ? this : new Deadline(clock.getAsLong() + ns, clock);
  }

  long leftNs() {
    return atNs - clock.getAsLong();
  }
}
