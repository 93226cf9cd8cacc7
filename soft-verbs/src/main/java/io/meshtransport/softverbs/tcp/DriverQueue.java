// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.tcp;

import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;

/**
 * Threads that wait for the driver lock. The thread that releases the lock wakes one of them, in no
 * order. A waiter registers, then checks the lock once more; a driver unlocks, then scans the
 * registrations: no wake-up is lost. Allocates nothing.
 */
final class DriverQueue {
  /** There is no slot left: such a thread only waits for its own event. */
  static final int NO_SLOT = -1;

  /** More than the threads that usually wait on one device. */
  private static final int SLOTS = 16;

  private final AtomicReferenceArray<Thread> waiters = new AtomicReferenceArray<>(SLOTS);

  /**
   * Registers the caller, which answers a wake-up by trying the lock.
   *
   * @return its slot, or {@link #NO_SLOT}
   */
  int add() {
    for (int slot = 0; slot < SLOTS; slot++) {
      if (waiters.get(slot) == null && waiters.compareAndSet(slot, null, Thread.currentThread())) {
        return slot;
      }
    }
    return NO_SLOT;
  }

  /**
   * Deregisters the caller.
   *
   * @param slot from {@link #add}
   */
  void remove(int slot) {
    if (slot != NO_SLOT) {
      waiters.set(slot, null);
    }
  }

  /** Whether no thread is registered. */
  boolean isEmpty() {
    for (int slot = 0; slot < SLOTS; slot++) {
      if (waiters.get(slot) != null) {
        return false;
      }
    }
    return true;
  }

  /** Wakes one thread; false if none is registered. */
  boolean wakeOne() {
    for (int slot = 0; slot < SLOTS; slot++) {
      Thread waiting = waiters.get(slot);
      if (waiting != null) {
        LockSupport.unpark(waiting);
        return true;
      }
    }
    return false;
  }
}
