// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import io.meshtransport.time.WaitTimes;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * A moment at which waiting ends. A value.
 *
 * @param clock what the moment is of, in nanoseconds
 */
record Deadline(long atNs, LongSupplier clock) {
  static Deadline after(Duration timeout) {
    return new Deadline(WaitTimes.endNs(timeout), System::nanoTime);
  }

  /** This one, or one in so many nanoseconds. */
  Deadline sooner(long ns) {
    return leftNs() <= ns ? this : new Deadline(clock.getAsLong() + ns, clock);
  }

  long leftNs() {
    return atNs - clock.getAsLong();
  }
}
