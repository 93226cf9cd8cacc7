// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.tcp;

import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * The checks by which the devices' thread sends what a caller has deferred that does not come back
 * to poll. It sends what it has found twice, so a frame waits for two checks at most: a caller that
 * polls has frames deferred most of the time, and each time others.
 */
final class DeferredChecks {
  /** How often the thread checks at first, and after each check that has found such a frame. */
  private static final long CHECK_NS = 200_000L;

  /**
   * Whenever a check finds that callers come back to poll, the next is twice as far away, up to
   * this: each check wakes a thread, which costs two switches, and in a virtual machine an exit to
   * its host for the timer.
   */
  private static final long MAX_CHECK_NS = 4 * CHECK_NS;

  /** The thread stops checking after so many checks in which nothing was deferred. */
  private static final int MAX_IDLE_CHECKS = 3;

  private final DrivenDevices devices;
  private final BooleanSupplier isLeased;

  /** The thread clears it. */
  private volatile boolean isRequested;

  /**
   * @param isLeased whether a caller still counts as one that will be back: one that has left
   *     serves nothing any more, and then the thread is to drive in place of checking
   */
  DeferredChecks(DrivenDevices devices, BooleanSupplier isLeased) {
    this.devices = devices;
    this.isLeased = isLeased;
  }

  /**
   * A caller has deferred frames until its next poll. Any thread.
   *
   * @return whether this is news to the devices' thread
   */
  boolean request() {
    boolean isNews = !isRequested;
    if (isNews) {
      isRequested = true;
    }
    return isNews;
  }

  boolean areRequested() {
    return isRequested;
  }

  /** Checks until nothing is deferred any more. By the devices' thread. */
  void run() {
    try {
      checkWhileNeeded();
    } finally {
      isRequested = false;
    }
    devices.flushDeferred();
  }

  private void checkWhileNeeded() {
    long parkedNs = CHECK_NS;
    int deferrals = devices.deferrals();
    int idleChecks = 0;
    devices.beginCheck();
    while (idleChecks < MAX_IDLE_CHECKS && isLeased.getAsBoolean()) {
      LockSupport.parkNanos(this, parkedNs);
      parkedNs = devices.flushStuck() ? CHECK_NS : Math.min(2 * parkedNs, MAX_CHECK_NS);
      int deferralsNow = devices.deferrals();
      idleChecks = deferralsNow == deferrals ? idleChecks + 1 : 0;
      deferrals = deferralsNow;
    }
  }
}
