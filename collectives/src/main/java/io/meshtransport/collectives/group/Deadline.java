// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import java.time.Duration;

/** A moment at which waiting ends. A value. */
record Deadline(long atNs) {
  static Deadline after(Duration timeout) {
    return new Deadline(System.nanoTime() + nanos(timeout));
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
    return leftNs() <= ns ? this : new Deadline(System.nanoTime() + ns);
  }

  long leftNs() {
    return atNs - System.nanoTime();
  }
}
