// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.tcp;

import io.meshtransport.softverbs.rc.SoftDevice;
import io.meshtransport.threads.FailureReports;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.function.Consumer;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * The selector of a device: serves the channels that are ready, then the timers that are due. What
 * is thrown over one connection ends that connection and leaves the device as it was.
 *
 * <p>One thread at a time selects, the one that has the {@link Driver}'s lock; channels may be
 * registered and the sleeper woken by any thread.
 */
final class DeviceSelector {
  private static final Logger LOG = LogManager.getLogger(DeviceSelector.class);

  /** Timers that were due when serving a channel or a timer failed run again after that. */
  private static final long TIMERS_AGAIN_NS = 10_000_000L;

  private final SoftDevice device;
  private final Selector selector;
  private final FailureReports failures;

  /** Kept, since a method reference made at each call would be garbage. */
  private final Consumer<SelectionKey> dispatch = this::dispatch;

  private volatile boolean isSleeping;
  private volatile boolean isClosed;

  DeviceSelector(SoftDevice device) throws IOException {
    this.device = device;
    this.selector = Selector.open();
    this.failures = new FailureReports("device " + device.name(), LOG::warn);
  }

  /** What went wrong with one connection, and left the device as it was. */
  FailureReports failures() {
    return failures;
  }

  boolean isClosed() {
    return isClosed;
  }

  /** Whether a thread sleeps in the selector, or is about to. */
  boolean isSleeping() {
    return isSleeping;
  }

  SelectionKey register(SelectableChannel channel, int operations, SelectionHandler handler)
      throws IOException {
    channel.configureBlocking(false);
    return channel.register(selector, operations, handler);
  }

  /**
   * Sets what a channel waits for from now on.
   *
   * @return false if the channel is not registered
   */
  boolean setInterest(SelectableChannel channel, int operations) {
    SelectionKey key = channel.keyFor(selector);
    if (key == null || !key.isValid()) {
      return false;
    }
    key.interestOps(operations);
    return true;
  }

  /** Ends the sleep under way, or else the next one. Any thread. */
  void wakeUp() {
    selector.wakeup();
  }

  /**
   * From now on a thread that changes what the sleeper must see wakes it. To be called before the
   * sleeper checks for the last time whether it has to sleep.
   */
  void beginSleep() {
    isSleeping = true;
  }

  void endSleep() {
    isSleeping = false;
  }

  /**
   * Serves what is ready, after waiting for it if it must.
   *
   * @param maxSleepMs 0 or less to not wait
   */
  void select(long maxSleepMs) {
    if (isClosed) {
      return;
    }
    try {
      if (maxSleepMs > 0) {
        selector.select(dispatch, maxSleepMs);
      } else {
        selector.selectNow(dispatch);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("epoll of device " + device.name() + " failed", e);
    } catch (ClosedSelectorException e) {
      assert isClosed;
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
    SelectionHandler handler = (SelectionHandler) key.attachment();
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
      device.timers().run(System.nanoTime());
    } catch (Throwable failure) {
      failures.add(failure);
      device.timers().arm(System.nanoTime() + TIMERS_AGAIN_NS);
    } finally {
      device.lock().unlock();
    }
  }

  /** From now on no thread begins to select; one that sleeps returns. */
  void beginClose() {
    isClosed = true;
    selector.wakeup();
  }

  /** Closes the selector, which no thread uses any more. */
  void close() {
    try {
      selector.close();
    } catch (IOException e) {
      throw new UncheckedIOException("closing epoll of device " + device.name() + " failed", e);
    }
  }
}
