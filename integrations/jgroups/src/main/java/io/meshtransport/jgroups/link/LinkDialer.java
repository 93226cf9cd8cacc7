// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.link;

import io.meshtransport.jgroups.directory.Scheduler;
import io.meshtransport.spi.ChannelFuture;
import io.meshtransport.spi.SendChannel;
import io.meshtransport.spi.TransportException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Opens a channel to one peer, and starts anew if cables change during a long dial. The link's
 * thread dials; any thread may call {@link #restartIfSlow}.
 */
final class LinkDialer {
  /**
   * After so long a dial is begun again where cables have changed meanwhile. Between busy hosts
   * that have just started one may take half a second, and is not to be ended just before its end.
   */
  static final long STALE_DIAL_MS = 1_000;

  /** Begins one dial. */
  interface Dial {
    ChannelFuture<SendChannel> begin() throws TransportException;
  }

  private ChannelFuture<SendChannel> current;
  private long sinceNs;
  private boolean isRestarted;

  /**
   * Waits until a dial is over; begins another each time {@link #restartIfSlow} ended one.
   *
   * @param isStillOpening whether the link still opens a channel: a dial of one that does not is
   *     not begun again
   * @throws TransportException as the dial fails
   */
  SendChannel open(Dial dial, BooleanSupplier isStillOpening) throws TransportException {
    while (true) {
      synchronized (this) {
        // Before the dial: one that fails to begin is a failure, and not restarted.
        isRestarted = false;
      }
      try (ChannelFuture<SendChannel> begun = dial.begin()) {
        begun(begun);
        return Links.await(begun);
      } catch (TransportException | IllegalStateException e) {
        // A future that was closed throws the latter.
        if (!isRestarted() || !isStillOpening.getAsBoolean()) {
          throw e;
        }
      } finally {
        begun(null);
      }
    }
  }

  private synchronized void begun(ChannelFuture<SendChannel> dial) {
    current = dial;
    sinceNs = System.nanoTime();
  }

  private synchronized boolean isRestarted() {
    return isRestarted;
  }

  /** Begins a dial in progress again once it has lasted {@value #STALE_DIAL_MS} ms. */
  void restartIfSlow(Scheduler scheduler) {
    ChannelFuture<SendChannel> outdated;
    long leftMs;
    synchronized (this) {
      outdated = current;
      leftMs = STALE_DIAL_MS - TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - sinceNs);
    }
    if (outdated != null) {
      scheduler.after(Math.max(0, leftMs), () -> restart(outdated));
    }
  }

  private void restart(ChannelFuture<SendChannel> outdated) {
    synchronized (this) {
      if (current != outdated) {
        return;
      }
      isRestarted = true;
    }
    outdated.close();
  }
}
