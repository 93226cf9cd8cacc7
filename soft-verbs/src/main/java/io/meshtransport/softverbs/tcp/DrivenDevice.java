// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.tcp;

import io.meshtransport.softverbs.rc.SoftDevice;
import io.meshtransport.threads.FailureReports;
import java.io.IOException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * A device at its {@link Driver}, which may be that of others, too: serves its channels that are
 * ready and its timers that are due, each with the device's lock, and knows whether a caller polls
 * just this device. What is thrown over one connection ends that connection and leaves the device
 * as it was.
 */
final class DrivenDevice {
  private static final Logger LOG = LogManager.getLogger(DrivenDevice.class);

  /** Timers that were due when serving a channel or a timer failed run again after that. */
  private static final long TIMERS_AGAIN_NS = 10_000_000L;

  /** What serves a channel of this device: the attachment of its key. */
  final class Registration {
    private final SelectionHandler handler;

    private Registration(SelectionHandler handler) {
      this.handler = handler;
    }

    /** The channel can do something. By the thread that has the driver lock. */
    void dispatch(SelectionKey key) {
      device.lock().lock();
      try {
        if (key.isValid() && !isRemoved) {
          serve(key, handler);
        }
      } finally {
        device.lock().unlock();
      }
    }

    boolean isOf(DrivenDevice other) {
      return other == DrivenDevice.this;
    }
  }

  private final SharedDriver shared;
  private final Driver driver;
  private final SoftDevice device;
  private final DeferredFlushes deferred;
  private final Runnable flushDeferred;
  private final FailureReports failures;

  /** Until then a caller that polled this device counts as one that will be back. */
  private volatile long leaseUntilNs;

  /** Guarded by the device's lock. */
  private boolean isRemoved;

  /** Of the driver's thread: what the last check of the deferred flushes has found. */
  private int checkedOldest;

  private DrivenDevice(SharedDriver shared, SoftDevice device, DeferredFlushes deferred)
      throws IOException {
    this.shared = shared;
    this.driver = shared.acquire();
    this.device = device;
    this.deferred = deferred;
    this.flushDeferred = deferred::flush;
    this.failures = new FailureReports("device " + device.name(), LOG::warn);
    this.leaseUntilNs = System.nanoTime();
  }

  /** Adds a device that opens to the driver. */
  static DrivenDevice add(SharedDriver shared, SoftDevice device, DeferredFlushes deferred)
      throws IOException {
    DrivenDevice added = new DrivenDevice(shared, device, deferred);
    added.driver.add(added);
    return added;
  }

  Driver driver() {
    return driver;
  }

  /** What went wrong with one connection, and left the device as it was. */
  FailureReports failures() {
    return failures;
  }

  SelectionKey register(SelectableChannel channel, int operations, SelectionHandler handler)
      throws IOException {
    return driver.register(channel, operations, new Registration(handler));
  }

  // --- whether a caller will be back

  /** A caller polls this device. */
  void polled() {
    leaseUntilNs = driver.lease();
  }

  /** Whether a caller polls this device, which will come back soon, and no thread sleeps. */
  boolean isPolled() {
    return !driver.isSleeping() && leaseUntilNs - System.nanoTime() > 0;
  }

  /**
   * As {@link #isPolled}, for a caller that has something to defer: one that posts many messages
   * between two polls is still the one that will come back.
   */
  boolean renewLease() {
    if (driver.isSleeping() || leaseUntilNs - System.nanoTime() <= 0) {
      return false;
    }
    leaseUntilNs = driver.renewLease();
    return true;
  }

  // --- for the thread that drives

  private void serve(SelectionKey key, SelectionHandler handler) {
    try {
      handler.onReady(key);
    } catch (Throwable failure) {
      failures.add(failure);
      device.timers().arm(System.nanoTime() + TIMERS_AGAIN_NS);
      end(key, handler, failure);
    }
  }

  private void end(SelectionKey key, SelectionHandler handler, Throwable failure) {
    try {
      handler.onFailure(failure);
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

  /** Runs the device's timers that are due. */
  void runTimers() {
    device.lock().lock();
    try {
      if (!isRemoved) {
        device.timers().run(System.nanoTime());
      }
    } catch (Throwable failure) {
      failures.add(failure);
      device.timers().arm(System.nanoTime() + TIMERS_AGAIN_NS);
    } finally {
      device.lock().unlock();
    }
  }

  /**
   * Before a sleep: what is deferred leaves.
   *
   * @return when the timers run next, or {@link io.meshtransport.softverbs.rc.DeviceTimers#NEVER}
   */
  long flushBeforeSleep() {
    device.lock().lock();
    try {
      deferred.flush();
      return device.timers().earliestNs();
    } finally {
      device.lock().unlock();
    }
  }

  /** Any thread, without the lock. */
  void flushDeferred() {
    if (deferred.hasAny()) {
      device.locked(flushDeferred);
    }
  }

  /** A caller polls no more: what it has deferred leaves. */
  void leave() {
    flushDeferred();
    leaseUntilNs = System.nanoTime();
  }

  /** Begins to check for deferred flushes. */
  void beginCheck() {
    checkedOldest = deferred.oldest();
  }

  /** Flushes what the last check has found, too; returns whether there was such. */
  boolean flushIfStuck() {
    boolean isStuck = deferred.hasAny() && deferred.oldest() == checkedOldest;
    if (isStuck) {
      device.locked(flushDeferred);
    }
    checkedOldest = deferred.oldest();
    return isStuck;
  }

  /** Changes with each frame that is deferred. */
  int deferrals() {
    return deferred.additions();
  }

  boolean isLockedByCaller() {
    return device.lock().isHeldByCurrentThread();
  }

  /** The device closes, and its channels are closed: nothing of it is served from now on. */
  void remove() {
    device.locked(() -> isRemoved = true);
    driver.remove(this);
    shared.release();
  }
}
