// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.link;

import java.util.concurrent.locks.Condition;

/**
 * Which thread drives the progress of a link's channel. One at a time waits in {@code
 * awaitProgress}, and does so without the link's lock; the others wait here until that thread has
 * returned. Confined to the link's lock, which {@link #await} gives up while it waits.
 */
final class DriverLock {
  private final Condition released;
  private boolean isHeld;

  /**
   * @param released a condition of the link's lock
   */
  DriverLock(Condition released) {
    this.released = released;
  }

  boolean isHeld() {
    return isHeld;
  }

  /**
   * @throws IllegalStateException if another thread drives
   */
  void acquire() {
    if (isHeld) {
      throw new IllegalStateException("another thread drives this channel already");
    }
    isHeld = true;
  }

  void release() {
    isHeld = false;
    released.signalAll();
  }

  /** Wakes all threads in {@link #await}, for the state they wait in has changed. */
  void signalAll() {
    released.signalAll();
  }

  /** Waits until the driving thread returns, or until so many nanoseconds have passed. */
  void await(long maxNs) throws InterruptedException {
    released.awaitNanos(maxNs);
  }
}
