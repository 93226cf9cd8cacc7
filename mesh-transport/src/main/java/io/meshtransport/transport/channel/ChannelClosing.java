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
  private static final long GOODBYE_POLL_NS = 50_000;

  /** What closing may take beside the wait for the peer. */
  private static final long OTHER_CLOSE_GRACE_NS = 1_000_000_000 + 2 * Teardown.PATIENCE_NS;

  private static final long OTHER_CLOSE_POLL_NS = 1_000_000;

  private ChannelClosing() {}

  /** Closes several at once: each sends GOODBYE before any waits for the acknowledgement. */
  static void closeAll(List<? extends MeshChannel> channels) {
    List<MeshChannel> closing = new ArrayList<>();
    List<MeshChannel> closedByOthers = new ArrayList<>();
    for (MeshChannel channel : channels) {
      if (begin(channel.core)) {
        channel.eachEndpoint(endpoint -> endpoint.events().wakeUp());
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

  private static boolean begin(ChannelCore core) {
    core.lock.lock();
    try {
      return core.shutdown.beginClose();
    } finally {
      core.lock.unlock();
    }
  }

  private static void awaitGoodbye(ChannelCore core, long startNs) {
    while (isClosing(core) && System.nanoTime() - startNs < core.timing.goodbyeNs()) {
      LockSupport.parkNanos(core, GOODBYE_POLL_NS);
    }
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

  private static void finish(MeshChannel channel) {
    channel.core.lock.lock();
    try {
      channel.core.shutdown.finishClose();
    } finally {
      // Last: a transport that closes waits until none of its channels is left.
      channel.context().onClosed().accept(channel);
      channel.core.lock.unlock();
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
