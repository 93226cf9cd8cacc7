// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.channel;

import io.meshtransport.spi.ChannelState;
import io.meshtransport.transport.device.Teardown;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * Closes channels, from any thread: begins all, waits until the peers' devices have acknowledged
 * GOODBYE, and ends them. Takes a bounded time.
 */
final class ChannelClosing {
  /**
   * How long closing sleeps between two polls for the acknowledgement of GOODBYE; a cable's round
   * trip is shorter.
   */
  static final long GOODBYE_POLL_NS = 50_000;

  /** What closing may take beside the wait for the peer. */
  private static final long OTHER_CLOSE_GRACE_NS = 1_000_000_000 + 2 * Teardown.PATIENCE_NS;

  private static final long OTHER_CLOSE_POLL_NS = 1_000_000;

  private ChannelClosing() {}

  /** Closes several at once: each sends GOODBYE before any waits for the acknowledgement. */
  static void closeAll(List<? extends MeshChannel> channels) {
    List<MeshChannel> closing = new ArrayList<>();
    List<MeshChannel> closedByOthers = new ArrayList<>();
    for (MeshChannel channel : channels) {
      if (begin(channel)) {
        closing.add(channel);
      } else {
        closedByOthers.add(channel);
      }
    }
    long startNs = System.nanoTime();
    closing.forEach(channel -> awaitGoodbye(channel.core, startNs));
    closing.forEach(ChannelClosing::finish);
    closedByOthers.forEach(channel -> awaitOtherClose(channel.core));
  }

  /** Begins to close one, and leaves the rest to {@link BackgroundClosing}. */
  static void beginInBackground(MeshChannel channel) {
    if (begin(channel)) {
      BackgroundClosing.OF_THIS_PROCESS.add(channel);
    }
  }

  /** Sends GOODBYE, and wakes a thread that waits there; false if another thread closes it. */
  private static boolean begin(MeshChannel channel) {
    channel.core.lock.lock();
    try {
      if (!channel.core.shutdown.beginClose()) {
        return false;
      }
    } finally {
      channel.core.lock.unlock();
    }
    channel.eachEndpoint(endpoint -> endpoint.events().wakeUp());
    return true;
  }

  private static void awaitGoodbye(ChannelCore core, long startNs) {
    while (awaitsGoodbye(core, startNs)) {
      LockSupport.parkNanos(core, GOODBYE_POLL_NS);
    }
  }

  /** Polls, and answers whether the peer's device may still acknowledge GOODBYE in time. */
  static boolean awaitsGoodbye(ChannelCore core, long startNs) {
    return isClosing(core) && System.nanoTime() - startNs < core.timing.goodbyeNs();
  }

  private static boolean isClosing(ChannelCore core) {
    core.lock.lock();
    try {
      core.progress();
      return core.shutdown.isClosing();
    } finally {
      core.lock.unlock();
    }
  }

  static void finish(MeshChannel channel) {
    channel.core.lock.lock();
    try {
      channel.core.shutdown.finishClose();
    } finally {
      // Last: a transport that closes waits until none of its channels is left.
      channel.context().onClosed().accept(channel);
      channel.core.lock.unlock();
      channel.closeEnded();
    }
  }

  /** Another thread closes it, which takes a bounded time. */
  private static void awaitOtherClose(ChannelCore core) {
    long startNs = System.nanoTime();
    long atMostNs = core.timing.goodbyeNs() + OTHER_CLOSE_GRACE_NS;
    while (core.status.state() != ChannelState.CLOSED && System.nanoTime() - startNs < atMostNs) {
      LockSupport.parkNanos(core, OTHER_CLOSE_POLL_NS);
    }
  }
}
