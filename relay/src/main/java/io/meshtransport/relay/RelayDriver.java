// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.relay;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/**
 * Decides which thread does the relay's work (Leader/Followers, Schmidt et al.): each turn is made
 * with its lock, by
 *
 * <ul>
 *   <li>a caller that polls a relayed connection ({@link #drive}): one turn without a wait, and
 *       others keep off for {@link #LEASE_NS};
 *   <li>a caller that waits for one ({@link #await}): it sleeps where bytes arrive, so that they
 *       wake no other thread first;
 *   <li>else the relay's own thread ({@link #serve}), which alone does the housekeeping, and polls
 *       rather than sleeps while it passes on short chunks ({@link PassingSpin}).
 * </ul>
 */
final class RelayDriver {
  /** The relay's work. */
  interface Work {
    /** One turn. Never called by two threads at once. */
    void turn(long maxWaitNs, boolean isHousekeeping);

    /** Ends the wait of a turn, or of the next one. */
    void wakeUp();

    /** Whether something waits for a turn that no arrival begins. */
    boolean isDue();

    /** Bytes of others that were passed on since the last call. */
    long takePassedBytes();

    /** Time until the next housekeeping is due, in nanoseconds; 0 or less if it is. */
    long untilHousekeepingNs();
  }

  /** A caller in a loop comes back sooner. */
  private static final long LEASE_NS = 500_000;

  /** While others poll and nobody else needs this node, its thread wakes this seldom. */
  private static final long MAX_PARK_NS = 16 * LEASE_NS;

  /** How soon a caller that waits notices that another one polls no more. */
  private static final long FOLLOW_NS = 2_000_000;

  /** One that sleeps in a turn wakes another when it leaves; a bound for the worst case. */
  private static final long FOLLOW_SLEEPER_NS = 20_000_000;

  /** How long what a caller has posted waits for its next poll. */
  private static final long CHECK_NS = 200_000;

  private static final int MAX_IDLE_CHECKS = 3;

  /** For a thread that is not in the list of those to be woken. */
  private static final long NAP_NS = 1_000_000;

  private static final int MAX_WAITERS = 64;

  private final Work work;
  private final ReentrantLock lock = new ReentrantLock();

  /** Callers that wait, and do not drive. */
  private final AtomicReferenceArray<Thread> waiters = new AtomicReferenceArray<>(MAX_WAITERS);

  private final AtomicInteger awaiting = new AtomicInteger();

  private volatile Thread service;

  /** Until then the relay's own thread keeps off. */
  private volatile long leaseUntilNs = System.nanoTime();

  /** Until then callers that wait keep off, too: this thread polls. */
  private volatile long spinUntilNs = leaseUntilNs;

  private volatile Thread spinner;
  private volatile boolean isAsleep;
  private volatile boolean isServiceParked;
  private volatile boolean isServiceWaiting;
  private volatile boolean isCheckRequested;

  /** No caller drives any more; changes with the lock. */
  private volatile boolean isClosed;

  /** Of the relay's own thread: how long it parks at least while others poll. */
  private long parkNs = LEASE_NS;

  /** Of the relay's own thread. */
  private final PassingSpin spin = new PassingSpin(System.nanoTime());

  RelayDriver(Work work) {
    this.work = work;
  }

  /** The relay's own thread, before it starts. */
  void service(Thread thread) {
    service = thread;
  }

  /** One turn by a caller that polls; false if another thread drives. */
  boolean drive() {
    if (isClosed || lock.isHeldByCurrentThread()) {
      return false;
    }
    lease();
    if (!isServiceWaiting && lock.tryLock()) {
      try {
        turnOfCaller(0);
      } finally {
        lock.unlock();
      }
      return true;
    }
    if (isAsleep) {
      work.wakeUp();
    }
    return false;
  }

  private void turnOfCaller(long maxWaitNs) {
    if (!isClosed) {
      work.turn(maxWaitNs, false);
    }
  }

  private void lease() {
    long nowNs = System.nanoTime();
    spinner = Thread.currentThread();
    leaseUntilNs = nowNs + LEASE_NS;
    spinUntilNs = leaseUntilNs;
  }

  /** A caller polls no more. */
  void leave() {
    endSpin();
    leaseUntilNs = System.nanoTime();
    if (!wakeWaiter()) {
      LockSupport.unpark(service);
    }
  }

  private void endSpin() {
    if (spinner == Thread.currentThread()) {
      spinUntilNs = System.nanoTime();
      spinner = null;
    }
  }

  /** Makes turns, or waits for those of others, until there is a reason to stop. */
  void await(BooleanSupplier isOver, long timeoutNs) {
    if (isClosed || lock.isHeldByCurrentThread()) {
      // Whoever gives the reason to stop unparks this thread.
      LockSupport.parkNanos(this, Math.min(timeoutNs, NAP_NS));
      return;
    }
    endSpin();
    long endNs = System.nanoTime() + timeoutNs;
    long leftNs = timeoutNs;
    awaiting.incrementAndGet();
    try {
      while (!isOver.getAsBoolean()
          && leftNs > 0
          && !isClosed
          && !Thread.currentThread().isInterrupted()) {
        awaitOnce(isOver, leftNs);
        leftNs = endNs - System.nanoTime();
      }
    } finally {
      // It is likely to come back.
      leaseUntilNs = System.nanoTime() + LEASE_NS;
      awaiting.decrementAndGet();
      if (!wakeWaiter() && isServiceParked) {
        LockSupport.unpark(service);
      }
    }
  }

  private void awaitOnce(BooleanSupplier isOver, long leftNs) {
    if (!isSpun() && !isServiceWaiting && lock.tryLock()) {
      try {
        sleepUnless(isOver, leftNs);
        // What has arrived may be answered at once.
        turnOfCaller(0);
      } finally {
        lock.unlock();
      }
    } else {
      follow(isOver, leftNs);
    }
  }

  private void sleepUnless(BooleanSupplier isOver, long leftNs) {
    isAsleep = true;
    try {
      boolean isNeeded = !isOver.getAsBoolean() && !isServiceWaiting && !isSpun();
      turnOfCaller(isNeeded ? leftNs : 0);
    } finally {
      isAsleep = false;
    }
  }

  private boolean isSpun() {
    return spinUntilNs - System.nanoTime() > 0;
  }

  /** Another thread drives: the one that gives the reason to stop unparks this one. */
  private void follow(BooleanSupplier isOver, long leftNs) {
    int slot = slot();
    try {
      if (isAsleep && !isSpun() && awaiting.get() == 1) {
        // The relay's own thread, which leaves it to this one.
        work.wakeUp();
      }
      if (!isOver.getAsBoolean() && (lock.isLocked() || isSpun())) {
        // A thread that makes turns without a sleep wakes nobody when it ends.
        boolean isSlept = slot >= 0 && isAsleep;
        LockSupport.parkNanos(this, Math.min(leftNs, isSlept ? FOLLOW_SLEEPER_NS : FOLLOW_NS));
      }
    } finally {
      if (slot >= 0) {
        waiters.set(slot, null);
      }
    }
  }

  private int slot() {
    for (int i = 0; i < MAX_WAITERS; i++) {
      if (waiters.compareAndSet(i, null, Thread.currentThread())) {
        return i;
      }
    }
    return -1;
  }

  private boolean wakeWaiter() {
    for (int i = 0; i < MAX_WAITERS; i++) {
      Thread waiter = waiters.get(i);
      if (waiter != null) {
        LockSupport.unpark(waiter);
        return true;
      }
    }
    return false;
  }

  /** There is something to do that no arrival begins. Any thread. */
  void wakeUp() {
    if (lock.isHeldByCurrentThread()) {
      return;
    }
    if (isAsleep) {
      work.wakeUp();
    } else if (isLeased()) {
      requestCheck();
    } else {
      work.wakeUp();
      LockSupport.unpark(service);
    }
  }

  private boolean isLeased() {
    return leaseUntilNs - System.nanoTime() > 0;
  }

  private void requestCheck() {
    if (!isCheckRequested) {
      isCheckRequested = true;
      LockSupport.unpark(service);
    }
  }

  /** Ends waits, so that callers look whether there is a reason to stop. */
  void wakeWaiters() {
    if (isAsleep && !lock.isHeldByCurrentThread()) {
      work.wakeUp();
    }
  }

  /**
   * Ends the sleep of the turn that the current thread makes, so that it looks whether there is a
   * reason to stop: bytes that are not the relay's may have given it one.
   */
  void endOwnWait() {
    if (isAsleep && lock.isHeldByCurrentThread()) {
      work.wakeUp();
    }
  }

  /** One turn of the relay's own thread. */
  void serve() {
    if (work.untilHousekeepingNs() <= 0) {
      keepHouse();
    } else if (isLeased() && (isCheckRequested || work.isDue())) {
      check();
    } else if (isLeased()) {
      parkNs = work.takePassedBytes() > 0 ? LEASE_NS : Math.min(2 * parkNs, MAX_PARK_NS);
      park(parkNs);
    } else if (awaiting.get() > 0) {
      isServiceParked = true;
      try {
        if (awaiting.get() > 0) {
          park(Long.MAX_VALUE);
        }
      } finally {
        isServiceParked = false;
      }
    } else if (lock.tryLock()) {
      parkNs = LEASE_NS;
      boolean isSpinning = spin.isOn(work.takePassedBytes(), System.nanoTime());
      try {
        driveAsService(isSpinning);
      } finally {
        lock.unlock();
        wakeWaiter();
      }
      if (isSpinning) {
        // Those that send and receive may need this core.
        Thread.yield();
      }
    } else {
      park(CHECK_NS);
    }
  }

  /** From now on only {@link #serve}, by the relay's own thread, does the work; it is woken. */
  void close() {
    isServiceWaiting = true;
    work.wakeUp();
    lock.lock();
    isClosed = true;
    lock.unlock();
    isServiceWaiting = false;
    leaseUntilNs = System.nanoTime();
    LockSupport.unpark(service);
  }

  private void park(long atMostNs) {
    LockSupport.parkNanos(this, Math.min(atMostNs, Math.max(1, work.untilHousekeepingNs())));
  }

  private void driveAsService(boolean isSpinning) {
    if (isSpinning) {
      work.turn(0, true);
      return;
    }
    isAsleep = true;
    try {
      boolean isNeeded = !isLeased() && awaiting.get() == 0;
      work.turn(isNeeded ? Long.MAX_VALUE : 0, true);
    } finally {
      isAsleep = false;
    }
  }

  private void keepHouse() {
    isServiceWaiting = true;
    try {
      if (isAsleep) {
        work.wakeUp();
      }
      lock.lock();
    } finally {
      isServiceWaiting = false;
    }
    try {
      work.turn(0, true);
    } finally {
      lock.unlock();
      wakeWaiter();
    }
  }

  /** What a caller has posted leaves though it does not poll. */
  private void check() {
    int idleChecks = 0;
    long napNs = CHECK_NS;
    while (idleChecks < MAX_IDLE_CHECKS && isLeased() && work.untilHousekeepingNs() > 0) {
      LockSupport.parkNanos(this, napNs);
      boolean wasDue = work.isDue() && turnIfFree();
      idleChecks = wasDue ? 0 : idleChecks + 1;
      napNs = wasDue ? CHECK_NS : 2 * napNs;
    }
    isCheckRequested = false;
    if (work.isDue()) {
      turnIfFree();
    }
  }

  private boolean turnIfFree() {
    boolean isFree = lock.tryLock();
    if (isFree) {
      try {
        turnOfCaller(0);
      } finally {
        lock.unlock();
      }
    }
    return isFree;
  }
}
