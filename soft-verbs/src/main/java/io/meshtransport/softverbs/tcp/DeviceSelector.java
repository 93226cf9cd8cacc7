// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.tcp;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.function.Consumer;

/**
 * The selector of the devices that one {@link Driver} serves, which it has serve the channels that
 * are ready.
 *
 * <p>One thread at a time selects, the one that has the driver lock; channels may be registered and
 * the sleeper woken by any thread.
 */
final class DeviceSelector {
  private final Selector selector;

  /** Kept, since a method reference made at each call would be garbage. */
  private final Consumer<SelectionKey> dispatch = DeviceSelector::dispatch;

  private volatile boolean isSleeping;
  private volatile boolean isClosed;

  DeviceSelector() throws IOException {
    this.selector = Selector.open();
  }

  boolean isClosed() {
    return isClosed;
  }

  /** Whether a thread sleeps in the selector, or is about to. */
  boolean isSleeping() {
    return isSleeping;
  }

  SelectionKey register(
      SelectableChannel channel, int operations, DrivenDevice.Registration registration)
      throws IOException {
    channel.configureBlocking(false);
    return channel.register(selector, operations, registration);
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

  /** Whether the kernel may have channels of that device open. Any thread. */
  boolean hasChannelsOf(DrivenDevice device) {
    for (SelectionKey key : selector.keys()) {
      if (key.attachment() instanceof DrivenDevice.Registration registration
          && registration.isOf(device)) {
        return true;
      }
    }
    return false;
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
      throw new UncheckedIOException("epoll of soft devices failed", e);
    } catch (ClosedSelectorException e) {
      assert isClosed;
    }
  }

  private static void dispatch(SelectionKey key) {
    ((DrivenDevice.Registration) key.attachment()).dispatch(key);
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
      throw new UncheckedIOException("closing epoll of soft devices failed", e);
    }
  }
}
