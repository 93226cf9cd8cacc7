// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.rc;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The lock of a soft device. Waiting for it allocates nothing, as its owners move messages: the
 * queue of a usual lock is made of new nodes. A waiter spins as long as a short write to a socket
 * takes, then parks: on a busy host the owner may not be running, and a waiter that only yields
 * queues behind every other thread of the host each time.
 */
public final class DeviceLock extends ReentrantLock {
  private static final long serialVersionUID = 1L;

  /** Some microseconds: as long as a short write to a socket. */
  private static final int SPINS = 200;

  /** For the waiter that the owner wakes: a bound for the worst case, not a period. */
  private static final long WOKEN_NS = 1_000_000;

  /** For all other waiters, and while the owner releases the lock in a condition's wait. */
  private static final long NAP_NS = 50_000;

  private static final VarHandle WAITER;

  static {
    try {
      WAITER = MethodHandles.lookup().findVarHandle(DeviceLock.class, "waiter", Thread.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** The thread to wake when the lock is free. */
  private transient volatile Thread waiter;

  @Override
  public void lock() {
    for (int spin = 0; spin < SPINS; spin++) {
      if (tryLock()) {
        return;
      }
      Thread.onSpinWait();
    }
    while (!tryLock()) {
      await();
    }
  }

  private void await() {
    if (Thread.currentThread().isInterrupted()) {
      // Parking would return at once.
      Thread.yield();
    } else if (WAITER.compareAndSet(this, null, Thread.currentThread())) {
      if (isLocked()) {
        LockSupport.parkNanos(this, WOKEN_NS);
      }
      waiter = null;
    } else {
      LockSupport.parkNanos(this, NAP_NS);
    }
  }

  @Override
  public void unlock() {
    super.unlock();
    Thread woken = waiter;
    if (woken != null && !isHeldByCurrentThread()) {
      LockSupport.unpark(woken);
    }
  }
}
