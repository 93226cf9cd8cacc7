// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import java.time.Duration;

/** A moment at which waiting ends. A value. */
record Deadline(long atNs) {
  static Deadline after(Duration timeout) {
    long ns;
    try {
      ns = Math.min(timeout.toNanos(), Long.MAX_VALUE / 2);
    } catch (ArithmeticException e) {
      ns = Long.MAX_VALUE / 2;
    }
    return new Deadline(System.nanoTime() + ns);
  }

  long leftNs() {
    return atNs - System.nanoTime();
  }
}
