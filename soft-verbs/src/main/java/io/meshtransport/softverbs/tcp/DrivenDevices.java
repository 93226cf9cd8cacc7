// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.tcp;

import io.meshtransport.softverbs.rc.DeviceTimers;
import java.util.Arrays;

/**
 * The devices of one {@link Driver}: what it does to all of them. Any thread; those that come and
 * go meanwhile are met or not.
 */
final class DrivenDevices {
  /** Replaced as a whole, with the monitor of this object. */
  private volatile DrivenDevice[] all = new DrivenDevice[0];

  synchronized void add(DrivenDevice device) {
    DrivenDevice[] more = Arrays.copyOf(all, all.length + 1);
    more[all.length] = device;
    all = more;
  }

  synchronized void remove(DrivenDevice device) {
    all = Arrays.stream(all).filter(each -> each != device).toArray(DrivenDevice[]::new);
  }

  boolean isAnyLockedByCaller() {
    for (DrivenDevice device : all) {
      if (device.isLockedByCaller()) {
        return true;
      }
    }
    return false;
  }

  /** Runs the timers that are due. By the thread that drives. */
  void runTimers() {
    for (DrivenDevice device : all) {
      device.runTimers();
    }
  }

  /**
   * Before the thread that drives sleeps: what is deferred leaves.
   *
   * @return nanoseconds until the next timer is due, at most the given number; negative if one is
   *     late
   */
  long flushBeforeSleep(long atMostNs) {
    long leftNs = atMostNs;
    for (DrivenDevice device : all) {
      long timerNs = device.flushBeforeSleep();
      if (timerNs != DeviceTimers.NEVER) {
        leftNs = Math.min(leftNs, timerNs - System.nanoTime());
      }
    }
    return leftNs;
  }

  /**
   * What a caller has deferred leaves that will not poll: the one that polls may do so elsewhere.
   */
  void flushDeferred() {
    for (DrivenDevice device : all) {
      device.flushDeferred();
    }
  }

  /** A caller polls no more: what it has deferred leaves. */
  void leave() {
    for (DrivenDevice device : all) {
      device.leave();
    }
  }

  /** Begins to check for deferred flushes. */
  void beginCheck() {
    for (DrivenDevice device : all) {
      device.beginCheck();
    }
  }

  /** Flushes what the last check has found, too; returns whether there was such. */
  boolean flushStuck() {
    boolean wasAnyStuck = false;
    for (DrivenDevice device : all) {
      wasAnyStuck |= device.flushIfStuck();
    }
    return wasAnyStuck;
  }

  /** Changes with each frame that is deferred. */
  int deferrals() {
    int sum = 0;
    for (DrivenDevice device : all) {
      sum += device.deferrals();
    }
    return sum;
  }
}
