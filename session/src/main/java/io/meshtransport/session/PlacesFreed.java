// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Counts how often places in a queue became free, and lets threads wait for the next time, without
 * the queue's lock. Any thread may call it; {@link #more} locks nothing while no thread waits.
 */
final class PlacesFreed {
  private final AtomicLong times = new AtomicLong();
  private final AtomicInteger waiting = new AtomicInteger();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  /** How often so far: read before the queue was found full. */
  long times() {
    return times.get();
  }

  /** Some are free, or there will be no more of them. */
  void more() {
    times.incrementAndGet();
    if (waiting.get() > 0) {
      lock.lock();
      try {
        changed.signalAll();
      } finally {
        lock.unlock();
      }
    }
  }

  /** Waits until it was more often than that, or until the time has passed. */
  void await(long seen, long timeoutNs) throws InterruptedException {
    long leftNs = timeoutNs;
    lock.lockInterruptibly();
    waiting.incrementAndGet();
    try {
      while (times.get() == seen && leftNs > 0) {
        leftNs = changed.awaitNanos(leftNs);
      }
    } finally {
      waiting.decrementAndGet();
      lock.unlock();
    }
  }
}
