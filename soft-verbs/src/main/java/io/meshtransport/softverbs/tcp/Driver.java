// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.tcp;

import io.meshtransport.softverbs.rc.EventWaiter;
import io.meshtransport.softverbs.rc.IdleTurns;
import io.meshtransport.softverbs.rc.ProgressEngine;
import io.meshtransport.threads.ServiceThread;
import java.io.IOException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * Decides which thread moves the bytes of one device or several: the leader of the Leader/Followers
 * pattern (Schmidt et al.). The driver lock is the right to select; it is acquired by
 *
 * <ul>
 *   <li>a caller that polls, for one pass; by polling it also leases the devices from their own
 *       thread for {@link #LEASE_NS};
 *   <li>a caller that waits on a completion channel, until there is an event: no thread hop. Of
 *       several that wait it is the one whose events come; the others follow, those of a {@link
 *       BusyCaller} do not wake them, and one whose own events are rare rests ({@link IdleTurns});
 *   <li>else the devices' own thread, which sleeps in the selector and serves the peers.
 * </ul>
 *
 * <p>Order of locks: the driver lock, then one device's lock. The driver lock alone is held across
 * the wait for the kernel.
 */
final class Driver implements ProgressEngine {
  private static final Logger LOG = LogManager.getLogger(Driver.class);

  /**
   * How long the devices' thread keeps off after a poll, at least: a caller in a loop comes back
   * sooner.
   */
  private static final long LEASE_NS = 2_000_000L;

  /** Each time a caller did come back, the thread keeps off for twice as long, up to this. */
  private static final long MAX_LEASE_NS = 8 * LEASE_NS;

  /** After this long without a pass over all channels, a caller that polls makes one. */
  private static final long MAX_UNDRIVEN_NS = 200_000L;

  /** A selector that was woken runs at once; none takes longer than this. */
  private static final long RELEASE_NS = 200_000_000L;

  private static final long RELEASE_POLL_NS = 100_000L;

  /** For a thread that will be woken when there is a reason. */
  private static final long LONG_NS = TimeUnit.SECONDS.toNanos(60);

  private final DrivenDevices devices = new DrivenDevices();
  private final DeferredChecks deferredChecks = new DeferredChecks(devices, this::isLeased);
  private final DeviceSelector selector = new DeviceSelector();
  private final ReentrantLock driverLock = new ReentrantLock();
  private final DriverQueue waiters = new DriverQueue();
  private final ServiceThread service;
  private final Thread thread;
  private final BusyCaller busy = new BusyCaller();

  /** Whether a caller that sleeps in the selector has served another. With the driver lock. */
  private boolean hasServedAnother;

  /** Of what was read with the driver lock. With it. */
  private int eventsRaised;

  /** Callers that wait, and leave the driver lock to others though those may not come back. */
  private final AtomicInteger resting = new AtomicInteger();

  private volatile long leaseUntilNs = System.nanoTime();
  private volatile long drivenNs = leaseUntilNs;

  /** Written by the devices' thread alone. */
  private volatile DriverThreadState threadState = DriverThreadState.RUNNING;

  /** Of the devices' thread: how long it parks at least while others poll. */
  private long parkNs = LEASE_NS;

  Driver() throws IOException {
    this.service = new ServiceThread("mesh-soft", this::serve, LOG::warn);
    this.thread = service.thread();
  }

  void start() {
    service.start();
  }

  /** From now on it serves that device, too. */
  void add(DrivenDevice device) {
    devices.add(device);
  }

  /** Returns when the kernel has closed the channels of a device that is removed, or soon. */
  void remove(DrivenDevice device) {
    devices.remove(device);
    awaitRelease(() -> !selector.hasChannelsOf(device));
  }

  SelectionKey register(
      SelectableChannel channel, int operations, DrivenDevice.Registration registration)
      throws IOException {
    SelectionKey key = selector.register(channel, operations, registration);
    wakeSleeper();
    return key;
  }

  /** Sets what a registered channel waits for from now on. */
  void setInterest(SelectableChannel channel, int operations) {
    if (selector.setInterest(channel, operations)) {
      wakeSleeper();
    }
  }

  /**
   * Waits until the kernel has closed a channel that was closed here: one that is registered stays
   * open until the selector has run. A thread that has the driver lock or a device's lock does not
   * wait. Bounded by {@link #RELEASE_NS}.
   */
  void awaitRelease(SelectableChannel closed) {
    awaitRelease(() -> !closed.isRegistered());
  }

  private void awaitRelease(BooleanSupplier isReleased) {
    long endNs = System.nanoTime() + RELEASE_NS;
    while (!isReleased.getAsBoolean() && !selector.isClosed() && System.nanoTime() - endNs < 0) {
      selector.wakeUp();
      if (driverLock.isHeldByCurrentThread() || devices.isAnyLockedByCaller()) {
        return;
      }
      if (!drive()) {
        LockSupport.parkNanos(this, RELEASE_POLL_NS);
      }
    }
  }

  /** Something changed that a thread asleep in the selector must see: interest, timers, events. */
  void wakeSleeper() {
    if (selector.isSleeping() && !driverLock.isHeldByCurrentThread()) {
      selector.wakeUp();
    }
  }

  /** An event was raised for a caller that waits. */
  @Override
  public void wakeWaiters() {
    if (driverLock.isHeldByCurrentThread()) {
      hasServedAnother = true;
    } else {
      wakeSleeper();
    }
  }

  @Override
  public void eventRaised() {
    if (driverLock.isHeldByCurrentThread()) {
      eventsRaised++;
    }
  }

  /** Whether a thread sleeps in the selector, or is about to. */
  boolean isSleeping() {
    return selector.isSleeping();
  }

  /**
   * A caller that has leased a device is still there.
   *
   * @return until when
   */
  long renewLease() {
    long untilNs = System.nanoTime() + LEASE_NS;
    leaseUntilNs = untilNs;
    return untilNs;
  }

  /**
   * Whether no thread has served all channels for a while, though a caller polls; as of the last
   * {@link #lease}, since reading the clock costs as much as a lock.
   */
  boolean isLongUndriven() {
    return leasedNs() - drivenNs > MAX_UNDRIVEN_NS;
  }

  /**
   * A caller polls.
   *
   * @return until when it counts as one that will be back
   */
  long lease() {
    long nowNs = System.nanoTime();
    busy.polled(nowNs);
    leaseUntilNs = nowNs + LEASE_NS;
    return nowNs + LEASE_NS;
  }

  /** The clock's reading at the last poll. */
  long leasedNs() {
    return leaseUntilNs - LEASE_NS;
  }

  /**
   * Frames were deferred until the caller's next poll: should it not come, the devices' thread
   * sends them.
   */
  void requestCheck() {
    if (deferredChecks.request()) {
      LockSupport.unpark(thread);
    }
  }

  /** One pass, by a caller that has said that it polls ({@link #lease}). */
  @Override
  public boolean drive() {
    drivenNs = leasedNs();
    if (driverLock.tryLock()) {
      try {
        if (!selector.isClosed()) {
          selector.select(0);
          devices.runTimers();
        }
      } finally {
        release();
      }
      return true;
    }
    wakeDrivingThread();
    return false;
  }

  /** The lease keeps the devices' thread off; another caller that drives serves us too. */
  private void wakeDrivingThread() {
    if (threadState == DriverThreadState.DRIVING) {
      wakeSleeper();
    }
  }

  /**
   * A caller that polled polls no more: what it has deferred leaves, and the devices' thread need
   * not wait for its lease to end.
   */
  @Override
  public void leave() {
    devices.leave();
    leaseUntilNs = System.nanoTime();
    busy.leave();
    if (!driverLock.isLocked() && !waiters.wakeOne()) {
      LockSupport.unpark(thread);
    }
  }

  @Override
  public boolean await(EventWaiter waiter, long timeoutNs) {
    long nowNs = System.nanoTime();
    long endNs = nowNs + timeoutNs;
    boolean isSuccessor = false;
    boolean hasServed = false;
    leaseUntilNs = nowNs + LEASE_NS;
    while (!waiter.isOver() && endNs - nowNs > 0 && !Thread.currentThread().isInterrupted()) {
      boolean isFollower = hasServed || busy.isOther(nowNs);
      boolean isResting = waiter.idleTurns().areMany();
      isSuccessor = !isResting && (isFollower || !driverLock.tryLock());
      if (isResting) {
        rest(waiter, endNs - nowNs);
      } else if (isFollower) {
        follow(waiter, endNs - nowNs);
        hasServed = false;
      } else if (isSuccessor) {
        waitForLock(endNs - nowNs);
      } else {
        hasServed = driveUntil(waiter, endNs);
      }
      nowNs = System.nanoTime();
    }
    if (isSuccessor && !driverLock.isLocked()) {
      // The previous driver may have woken us to succeed it, and we need the lock no more.
      wakeSuccessor(nowNs);
    }
    return waiter.isOver();
  }

  /** Returns whether another caller should do it: its events come, not ours. */
  private boolean driveUntil(EventWaiter waiter, long endNs) {
    long fromNs = System.nanoTime();
    long nowNs = fromNs;
    try {
      hasServedAnother = false;
      while (!waiter.isOver()
          && endNs - nowNs > 0
          && !hasServedAnother
          && !busy.isOther(nowNs)
          && !waiter.idleTurns().areMany()
          && !selector.isClosed()
          && !Thread.currentThread().isInterrupted()) {
        int raisedBefore = eventsRaised;
        sleepUnless(waiter, endNs - nowNs);
        if (eventsRaised != raisedBefore && !waiter.isOver()) {
          waiter.idleTurns().servedOthers();
        }
        nowNs = System.nanoTime();
      }
      return hasServedAnother;
    } finally {
      busy.slept(fromNs, nowNs);
      release();
    }
  }

  /** Another caller polls and serves us too; should it stop, this one looks again soon. */
  private void follow(EventWaiter waiter, long leftNs) {
    devices.flushDeferred();
    int slot = waiters.add();
    try {
      if (!waiter.isOver()) {
        LockSupport.parkNanos(this, Math.min(leftNs, busy.followNs()));
      }
    } finally {
      waiters.remove(slot);
    }
  }

  /**
   * What comes is for others: they read it, or the devices' thread does after the lease. Whoever
   * raises an event for this thread wakes it. Others may neither come back nor let the lease end:
   * then this thread takes a turn.
   */
  private void rest(EventWaiter waiter, long leftNs) {
    devices.flushDeferred();
    resting.incrementAndGet();
    try {
      if (threadState != DriverThreadState.DRIVING) {
        LockSupport.unpark(thread);
      }
      if (!waiter.isOver()) {
        LockSupport.parkNanos(this, Math.min(leftNs, MAX_LEASE_NS));
      }
    } finally {
      resting.decrementAndGet();
    }
    if (!waiter.isOver()) {
      waiter.idleTurns().restedInVain();
    }
  }

  /**
   * Another thread drives. The devices' own releases the lock at once; another caller does not, and
   * then the thread that raises our event unparks us, or that caller when it releases the lock.
   */
  private void waitForLock(long leftNs) {
    leaseUntilNs = System.nanoTime() + LEASE_NS;
    devices.flushDeferred();
    int slot = waiters.add();
    try {
      wakeDrivingThread();
      if (driverLock.isLocked()) {
        LockSupport.parkNanos(this, leftNs);
      }
    } finally {
      waiters.remove(slot);
    }
  }

  private void release() {
    long nowNs = System.nanoTime();
    leaseUntilNs = nowNs + LEASE_NS;
    driverLock.unlock();
    wakeSuccessor(nowNs);
  }

  /**
   * A caller that waits acquires the lock at once, unless one that is busy comes back sooner; the
   * devices' thread, after the lease.
   */
  private void wakeSuccessor(long nowNs) {
    boolean isWoken = !busy.isAny(nowNs) && waiters.wakeOne();
    if (!isWoken && threadState == DriverThreadState.PARKED) {
      LockSupport.unpark(thread);
    }
  }

  /** One turn of the devices' own thread. */
  private void serve() {
    long leaseNs = leaseUntilNs - System.nanoTime();
    if (leaseNs > 0 && deferredChecks.areRequested()) {
      deferredChecks.run();
    } else if (leaseNs > 0) {
      LockSupport.parkNanos(this, Math.max(leaseNs, parkNs));
      // Those that wait behind a caller count on this thread, should it stay away.
      boolean isAlone = waiters.isEmpty() && resting.get() == 0;
      parkNs = isAlone ? Math.min(2 * parkNs, MAX_LEASE_NS) : LEASE_NS;
    } else if (!driverLock.isLocked() && waiters.wakeOne()) {
      // It followed a caller that has stopped.
      LockSupport.parkNanos(this, LEASE_NS);
    } else if (driverLock.tryLock()) {
      parkNs = LEASE_NS;
      driveAsThread();
    } else {
      parkUntilLockIsFree();
    }
  }

  private void driveAsThread() {
    try {
      become(DriverThreadState.DRIVING);
      sleepUnless(null, LONG_NS);
    } finally {
      become(DriverThreadState.RUNNING);
      driverLock.unlock();
      waiters.wakeOne();
    }
  }

  private void parkUntilLockIsFree() {
    become(DriverThreadState.PARKED);
    if (driverLock.isLocked() && !selector.isClosed()) {
      LockSupport.parkNanos(this, LONG_NS);
    }
    become(DriverThreadState.RUNNING);
  }

  private void become(DriverThreadState next) {
    if (!threadState.mayBecome(next)) {
      throw new IllegalStateException(
          "the driver's thread cannot go from " + threadState + " to " + next);
    }
    threadState = next;
  }

  /** Whether a caller counts as one that will be back, so that the devices' thread keeps off. */
  private boolean isLeased() {
    return !selector.isClosed() && leaseUntilNs - System.nanoTime() > 0;
  }

  /**
   * Sleeps in the selector until something is ready, a timer is due, or another thread wakes us.
   */
  private void sleepUnless(EventWaiter waiter, long timeoutNs) {
    selector.beginSleep();
    try {
      long sleepMs = sleepMs(timeoutNs);
      boolean isNeeded = waiter == null ? leaseUntilNs - System.nanoTime() <= 0 : !waiter.isOver();
      selector.select(isNeeded ? sleepMs : 0);
    } finally {
      selector.endSleep();
    }
    devices.runTimers();
  }

  /** Whole milliseconds, rounded up: the selector knows no shorter sleep. */
  private long sleepMs(long timeoutNs) {
    return (devices.flushBeforeSleep(timeoutNs) + 999_999) / 1_000_000;
  }

  /** Ends the thread and the selector. Not from within the selector. */
  void close() {
    selector.beginClose();
    service.end();
    driverLock.lock();
    try {
      selector.close();
    } finally {
      driverLock.unlock();
    }
    service.awaitEnd();
  }
}
