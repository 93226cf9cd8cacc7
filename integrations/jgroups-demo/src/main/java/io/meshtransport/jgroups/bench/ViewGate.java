// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.bench;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Lets a thread wait for a view of some size. Any thread. */
final class ViewGate {
  private int members;

  /** A view was accepted. */
  synchronized void accept(int size) {
    members = size;
    notifyAll();
  }

  /**
   * @throws TimeoutException if the view has another size all the while
   */
  synchronized void await(int wanted, Duration limit)
      throws InterruptedException, TimeoutException {
    long deadline = System.nanoTime() + limit.toNanos();
    while (members != wanted) {
      long left = deadline - System.nanoTime();
      if (left <= 0) {
        throw new TimeoutException(
            "the view has %d members, not %d, after %s".formatted(members, wanted, limit));
      }
      TimeUnit.NANOSECONDS.timedWait(this, left);
    }
  }
}
