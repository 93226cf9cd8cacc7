// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs;

import io.meshtransport.threads.FailureReports;
import io.meshtransport.threads.ServiceThread;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * Decides which thread moves a device's bytes. There is one seat, the right to select; it is taken
 * by
 *
 * <ul>
 *   <li>a caller that polls, for one look; by polling it also leases the seat for {@link
 *       #LEASE_NS};
 *   <li>a caller that waits on a completion channel, until there is an event: no thread hop;
 *   <li>else the device's own thread, which sleeps in the selector and serves the peers.
 * </ul>
 *
 * Order of locks: the seat, then the device's lock. The seat alone is held across the wait for the
 * kernel.
 */
final class Driver {
  /** What a selection key belongs to. */
  interface Ready {
    /** Its channel can do something. With the device's lock held. */
    void ready(SelectionKey key);

    /**
     * {@link #ready} has thrown, which says something about this connection and nothing about
     * others: it ends, its channel closed. With the device's lock held.
     */
    void broke(Throwable failure);
  }

  private static final Logger LOG = LogManager.getLogger(Driver.class);

  /**
   * How long the device's thread keeps off after a poll, at least: a caller in a loop comes back
   * sooner.
   */
  private static final long LEASE_NS = 2_000_000L;

  /** Each time a caller did come back, the thread keeps off for twice as long, up to this. */
  private static final long LONGEST_LEASE_NS = 8 * LEASE_NS;

  /** Callers that poll slowly drive at each poll, then. */
  private static final long LONGEST_UNDRIVEN_NS = 200_000L;

  /**
   * What a poll that does not come may hold up a frame for: up to four times where polls came so
   * far.
   */
  private static final long GUARD_NAP_NS = 200_000L;

  /**
   * Whenever a nap ends and nothing waits, since those who poll do come back, the next is twice as
   * long, up to this: each wakes a thread, which takes a spinning caller's core for microseconds.
   */
  private static final long LONGEST_GUARD_NAP_NS = 4 * GUARD_NAP_NS;

  /** The guard is over after so many naps in which nothing was put off. */
  private static final int NAPS_FOR_NOTHING = 3;

  /** A selector that was woken looks at once; longer than this none takes. */
  private static final long RELEASE_NS = 200_000_000L;

  private static final long RELEASE_NAP_NS = 100_000L;

  /** Timers that were due when a look failed are looked at again after that. */
  private static final long TIMERS_AGAIN_NS = 10_000_000L;

  /** For a thread that will be woken when there is a reason. */
  private static final long LONG_NS = TimeUnit.SECONDS.toNanos(60);

  private final SoftDevice device;
  private final DeferredFlushes held;
  private final Selector selector;
  private final ReentrantLock seat = new ReentrantLock();

  /** Kept, since a method reference made at each look would be garbage. */
  private final Consumer<SelectionKey> dispatch = this::dispatch;

  private final Runnable flushHeld;

  private final ServiceThread service;
  private final Thread thread;
  private final FailureReports failures;
  private volatile long leaseUntilNs = System.nanoTime();
  private volatile long drivenNs = leaseUntilNs;
  private final DriverQueue line = new DriverQueue();

  /** Of the device's thread: how long it parks at least while others poll. */
  private long longestNs = LEASE_NS;

  private volatile boolean isSleeping;
  private volatile boolean isThreadParked;
  private volatile boolean isThreadSeated;
  private volatile boolean isGuarding;
  private volatile boolean isClosed;

  Driver(SoftDevice device, DeferredFlushes held) throws IOException {
    this.device = device;
    this.held = held;
    this.flushHeld = held::flush;
    this.selector = Selector.open();
    this.service = new ServiceThread("mesh-soft-" + device.name(), this::serve, LOG::warn);
    this.thread = service.thread();
    this.failures = new FailureReports("device " + device.name(), LOG::warn);
  }

  void start() {
    service.start();
  }

  /** What went wrong with one connection, and left the device as it was. */
  FailureReports failures() {
    return failures;
  }

  SelectionKey register(SelectableChannel channel, int operations, Ready ready) throws IOException {
    channel.configureBlocking(false);
    SelectionKey key = channel.register(selector, operations, ready);
    wakeSleeper();
    return key;
  }

  /** What a channel that is registered waits for from now on. */
  void interest(SelectableChannel channel, int operations) {
    SelectionKey key = channel.keyFor(selector);
    if (key != null && key.isValid()) {
      key.interestOps(operations);
      wakeSleeper();
    }
  }

  /**
   * Waits until the kernel has closed a channel that was closed here: one that is registered stays
   * open until the selector has looked. A thread that has the seat or the device's lock does not
   * wait. Bounded by {@link #RELEASE_NS}.
   */
  void awaitRelease(SelectableChannel closed) {
    long endNs = System.nanoTime() + RELEASE_NS;
    while (closed.isRegistered() && !isClosed && System.nanoTime() - endNs < 0) {
      selector.wakeup();
      if (seat.isHeldByCurrentThread() || device.lock().isHeldByCurrentThread()) {
        return;
      }
      if (!drive()) {
        LockSupport.parkNanos(this, RELEASE_NAP_NS);
      }
    }
  }

  /** Something changed that a thread asleep in the selector must see: interest, timers, events. */
  void wakeSleeper() {
    if (isSleeping && !seat.isHeldByCurrentThread()) {
      selector.wakeup();
    }
  }

  /** Whether somebody polls, who will come back soon, and nobody sleeps. */
  boolean isPolled() {
    return !isSleeping && leaseUntilNs - System.nanoTime() > 0;
  }

  /**
   * Whether nobody has looked after all of the device for a while, though somebody polls; as of the
   * last {@link #lease}, since the clock costs as much as a lock.
   */
  boolean isLongUndriven() {
    return leasedNs() - drivenNs > LONGEST_UNDRIVEN_NS;
  }

  /** A caller that polls is looking at its own wires only. */
  void lease() {
    leaseUntilNs = System.nanoTime() + LEASE_NS;
  }

  /** The clock's reading at the last look of a caller that polls. */
  long leasedNs() {
    return leaseUntilNs - LEASE_NS;
  }

  /**
   * Frames were put off until the caller's next poll: should it not come, the thread sends them.
   */
  void guard() {
    if (!isGuarding) {
      isGuarding = true;
      LockSupport.unpark(thread);
    }
  }

  /**
   * One look, by a caller that polls.
   *
   * @return false if another thread has the seat; it may take a while to leave it
   */
  boolean drive() {
    drivenNs = System.nanoTime();
    leaseUntilNs = drivenNs + LEASE_NS;
    if (seat.tryLock()) {
      try {
        selectNow();
      } finally {
        leaveSeat();
      }
      return true;
    }
    askThreadToLeave();
    return false;
  }

  /** The lease tells the device's thread to keep off; another caller in the seat serves us too. */
  private void askThreadToLeave() {
    if (isThreadSeated) {
      wakeSleeper();
    }
  }

  /** Waits for an event of the channel. */
  boolean await(SoftCompletionChannel channel, long timeoutNs) {
    long endNs = System.nanoTime() + timeoutNs;
    long leftNs = timeoutNs;
    boolean mayBeChosen = false;
    leaseUntilNs = System.nanoTime() + LEASE_NS;
    while (!channel.isOver() && leftNs > 0 && !Thread.currentThread().isInterrupted()) {
      mayBeChosen = !seat.tryLock();
      if (mayBeChosen) {
        waitForSeat(leftNs);
      } else {
        try {
          sleepUntil(channel, endNs);
        } finally {
          leaveSeat();
        }
      }
      leftNs = endNs - System.nanoTime();
    }
    if (mayBeChosen && !seat.isLocked()) {
      // Whoever left may have woken us to take it, and we need it no more.
      wakeSuccessor();
    }
    return channel.isOver();
  }

  private void sleepUntil(SoftCompletionChannel channel, long endNs) {
    long leftNs = endNs - System.nanoTime();
    while (!channel.isOver()
        && leftNs > 0
        && !isClosed
        && !Thread.currentThread().isInterrupted()) {
      sleepUnless(channel, leftNs);
      leftNs = endNs - System.nanoTime();
    }
  }

  /**
   * Another thread drives. The device's own makes room at once; another caller does not, and then
   * whoever raises our event unparks us, or that caller when it leaves.
   */
  private void waitForSeat(long leftNs) {
    leaseUntilNs = System.nanoTime() + LEASE_NS;
    int place = line.enter();
    try {
      askThreadToLeave();
      if (seat.isLocked()) {
        LockSupport.parkNanos(this, leftNs);
      }
    } finally {
      line.leave(place);
    }
  }

  private void leaveSeat() {
    leaseUntilNs = System.nanoTime() + LEASE_NS;
    seat.unlock();
    wakeSuccessor();
  }

  /** A caller that waits takes the seat at once; the device's thread, after the lease. */
  private void wakeSuccessor() {
    if (!line.wakeOne() && isThreadParked) {
      LockSupport.unpark(thread);
    }
  }

  /** One turn of the device's own thread. */
  private void serve() {
    long leaseNs = leaseUntilNs - System.nanoTime();
    if (leaseNs > 0 && isGuarding) {
      standGuard();
    } else if (leaseNs > 0) {
      LockSupport.parkNanos(this, Math.max(leaseNs, longestNs));
      longestNs = Math.min(2 * longestNs, LONGEST_LEASE_NS);
    } else if (seat.tryLock()) {
      longestNs = LEASE_NS;
      try {
        isThreadSeated = true;
        sleepUnless(null, LONG_NS);
      } finally {
        isThreadSeated = false;
        seat.unlock();
        line.wakeOne();
      }
    } else {
      parkUntilSeatIsFree();
    }
  }

  private void standGuard() {
    try {
      guardWhileNeeded();
    } finally {
      isGuarding = false;
    }
    if (held.areAny()) {
      device.locked(flushHeld);
    }
  }

  private void guardWhileNeeded() {
    long napNs = GUARD_NAP_NS;
    int seen = held.additions();
    int napsForNothing = 0;
    while (napsForNothing < NAPS_FOR_NOTHING && !isClosed) {
      LockSupport.parkNanos(this, napNs);
      if (held.areAny()) {
        napNs = GUARD_NAP_NS;
        device.locked(flushHeld);
      } else {
        napNs = Math.min(2 * napNs, LONGEST_GUARD_NAP_NS);
      }
      napsForNothing = held.additions() == seen ? napsForNothing + 1 : 0;
      seen = held.additions();
    }
  }

  private void parkUntilSeatIsFree() {
    isThreadParked = true;
    if (seat.isLocked() && !isClosed) {
      LockSupport.parkNanos(this, LONG_NS);
    }
    isThreadParked = false;
  }

  private void selectNow() {
    try {
      if (!isClosed) {
        selector.selectNow(dispatch);
        runTimers();
      }
    } catch (IOException e) {
      throw new UncheckedIOException("epoll of device " + device.name() + " failed", e);
    } catch (ClosedSelectorException e) {
      assert isClosed;
    }
  }

  /** Sleeps in the selector until something is ready, a timer is due, or somebody wakes us. */
  private void sleepUnless(SoftCompletionChannel channel, long timeoutNs) {
    isSleeping = true;
    try {
      long sleepMs = sleepMs(timeoutNs);
      boolean isNeeded =
          channel == null ? leaseUntilNs - System.nanoTime() <= 0 : !channel.isOver();
      if (sleepMs > 0 && isNeeded && !isClosed) {
        selector.select(dispatch, sleepMs);
      } else if (!isClosed) {
        selector.selectNow(dispatch);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("epoll of device " + device.name() + " failed", e);
    } catch (ClosedSelectorException e) {
      assert isClosed;
    } finally {
      isSleeping = false;
    }
    runTimers();
  }

  /** Whole milliseconds, rounded up: the selector knows no shorter sleep. */
  private long sleepMs(long timeoutNs) {
    device.lock().lock();
    try {
      held.flush();
      long timerNs = device.earliestTimerNs();
      long leftNs = timerNs == SoftDevice.NEVER ? timeoutNs : timerNs - System.nanoTime();
      return (Math.min(leftNs, timeoutNs) + 999_999) / 1_000_000;
    } finally {
      device.lock().unlock();
    }
  }

  private void dispatch(SelectionKey key) {
    device.lock().lock();
    try {
      if (key.isValid()) {
        serve(key);
      }
    } finally {
      device.lock().unlock();
    }
  }

  private void serve(SelectionKey key) {
    Ready ready = (Ready) key.attachment();
    try {
      ready.ready(key);
    } catch (Throwable failure) {
      failures.add(failure);
      device.armTimer(System.nanoTime() + TIMERS_AGAIN_NS);
      end(key, ready, failure);
    }
  }

  private void end(SelectionKey key, Ready ready, Throwable failure) {
    try {
      ready.broke(failure);
    } catch (Throwable again) {
      failures.add(again);
      close(key);
    }
  }

  /** A connection that could not even be ended in order: it must not be selected for ever. */
  private void close(SelectionKey key) {
    try {
      key.cancel();
      key.channel().close();
    } catch (Throwable failure) {
      failures.add(failure);
    }
  }

  private void runTimers() {
    device.lock().lock();
    try {
      device.runTimers(System.nanoTime());
    } catch (Throwable failure) {
      failures.add(failure);
      device.armTimer(System.nanoTime() + TIMERS_AGAIN_NS);
    } finally {
      device.lock().unlock();
    }
  }

  /** Ends the thread and the selector. Not from within the selector. */
  void close() {
    isClosed = true;
    selector.wakeup();
    service.end();
    seat.lock();
    try {
      selector.close();
    } catch (IOException e) {
      throw new UncheckedIOException("closing epoll of device " + device.name() + " failed", e);
    } finally {
      seat.unlock();
    }
    service.awaitEnd();
  }
}
