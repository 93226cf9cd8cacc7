// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs;

import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;

/**
 * Threads that wait for the driver's seat. Whoever leaves the seat wakes one of them, in no order.
 * A place is taken before the seat is looked at for the last time, and the seat is free before the
 * places are looked at, so nobody is missed. Allocates nothing.
 */
final class DriverQueue {
  /** There is no place left: such a thread only waits for its own event. */
  static final int NO_PLACE = -1;

  /** More than the threads that usually wait on one device. */
  private static final int PLACES = 16;

  private final AtomicReferenceArray<Thread> places = new AtomicReferenceArray<>(PLACES);

  /** The caller will wait, and answers to a wake-up by trying to take the seat. */
  int enter() {
    for (int place = 0; place < PLACES; place++) {
      if (places.get(place) == null && places.compareAndSet(place, null, Thread.currentThread())) {
        return place;
      }
    }
    return NO_PLACE;
  }

  /**
   * The caller waits no more.
   *
   * @param place from {@link #enter}
   */
  void leave(int place) {
    if (place != NO_PLACE) {
      places.set(place, null);
    }
  }

  /** Whether there was somebody to wake. */
  boolean wakeOne() {
    for (int place = 0; place < PLACES; place++) {
      Thread waiting = places.get(place);
      if (waiting != null) {
        LockSupport.unpark(waiting);
        return true;
      }
    }
    return false;
  }
}
