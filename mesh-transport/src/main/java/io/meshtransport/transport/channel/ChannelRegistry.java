// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.channel;

import io.meshtransport.handshake.NodeId;
import io.meshtransport.transport.device.OpenNic;
import io.meshtransport.transport.device.Teardown;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * The open channels of one transport. Counts them at their NICs and with their peers, ends those
 * whose NIC is gone, and closes what is left. Any thread may call it.
 */
public final class ChannelRegistry {
  private static final Logger LOG = LogManager.getLogger(ChannelRegistry.class);

  /** Bound of closing, beside the wait for the peer's acknowledgement. */
  private static final long CLOSING_GRACE_NS = 1_000_000_000 + 2 * Teardown.PATIENCE_NS;

  /** A round trip over an overlay takes longer. */
  private static final long LEAVING_POLL_NS = 100_000;

  private static final long CLOSING_POLL_NS = 1_000_000;

  private final long goodbyeNs;

  /** With the node that each leads to; none for a C plugin's. */
  private final Map<MeshChannel, Optional<NodeId>> channels = new ConcurrentHashMap<>();

  private volatile boolean closed;

  /**
   * @param goodbyeNs how long one channel waits for its peer when it closes, in nanoseconds
   */
  public ChannelRegistry(long goodbyeNs) {
    this.goodbyeNs = goodbyeNs;
  }

  /**
   * Counts a channel as this transport's.
   *
   * @param peer the node that it leads to; empty for a C plugin's, which has no id
   * @return false if the transport is closed; the channel is the caller's to close
   */
  public boolean adopt(MeshChannel channel, Optional<NodeId> peer) {
    // Counted before others can find it: a rail that joins counts itself.
    channel.eachEndpoint(endpoint -> endpoint.nic().liveChannels().incrementAndGet());
    channel.beginTraffic();
    channels.put(channel, peer);
    if (!closed) {
      channel.opened();
    }
    return !closed;
  }

  /** The channel is closed. */
  public void remove(MeshChannel channel) {
    channels.remove(channel);
    channel.endTraffic();
    channel.eachEndpoint(endpoint -> endpoint.nic().liveChannels().decrementAndGet());
  }

  /** The channels of this moment, without a copy. */
  public Iterable<MeshChannel> now() {
    return channels.keySet();
  }

  public int size() {
    return channels.size();
  }

  /**
   * Notes the oldest request of each channel, for those who watch; called at regular times.
   *
   * @param nowNs on the clock of System.nanoTime
   */
  public void notePending(long nowNs) {
    now().forEach(channel -> channel.notePending(nowNs));
  }

  /**
   * A NIC is about to go, and still works: ends the channels that have nothing else, and waits a
   * bounded time until their peers know.
   */
  public void nicLeaves(OpenNic nic, String why) {
    long endNs = System.nanoTime() + goodbyeNs;
    List<MeshChannel> leaving = List.copyOf(channels.keySet());
    while (!leaving.isEmpty() && System.nanoTime() - endNs < 0) {
      leaving = leaving.stream().filter(channel -> isLeaving(channel, nic, why)).toList();
      if (!leaving.isEmpty()) {
        LockSupport.parkNanos(this, LEAVING_POLL_NS);
      }
    }
  }

  /** One that cannot be ended does not keep the others from it. */
  private static boolean isLeaving(MeshChannel channel, OpenNic nic, String why) {
    try {
      return channel.nicLeaves(nic, why);
    } catch (RuntimeException | Error e) {
      LOG.error("{}: cannot be ended though its NIC leaves", channel.route(), e);
      return false;
    }
  }

  /** Ends the channels of a NIC that is gone, and no others. */
  public void nicGone(OpenNic nic, String why) {
    for (MeshChannel channel : now()) {
      try {
        channel.nicGone(nic, why);
      } catch (RuntimeException | Error e) {
        LOG.error("{}: cannot be ended though its NIC is gone", channel.route(), e);
      }
    }
  }

  /** Breaks the channels to a node that is gone, and no others. */
  public void nodeGone(NodeId node, String evidence) {
    eachTo(node, channel -> channel.nodeGone(evidence));
  }

  /** Takes channels to a node off a cable that is cut, where they have another way. */
  public void cableCut(NodeId node, int interfaceIndex, String evidence) {
    eachTo(node, channel -> channel.cableCut(interfaceIndex, evidence));
  }

  private void eachTo(NodeId node, Consumer<MeshChannel> action) {
    channels.forEach(
        (channel, peer) -> {
          if (peer.equals(Optional.of(node))) {
            try {
              action.accept(channel);
            } catch (RuntimeException e) {
              LOG.error("{}: cannot be told what its node's state is", channel.route(), e);
            }
          }
        });
  }

  /** From here on {@link #adopt} answers false. */
  public void refuseMore() {
    closed = true;
  }

  /** Closes all channels, and waits a bounded time for those that other threads are closing. */
  public void closeAll() {
    MeshChannel.closeAll(List.copyOf(channels.keySet()));
    // They use memory and NICs until they are closed.
    long startNs = System.nanoTime();
    long maxNs = goodbyeNs + CLOSING_GRACE_NS;
    while (!channels.isEmpty() && System.nanoTime() - startNs < maxNs) {
      LockSupport.parkNanos(this, CLOSING_POLL_NS);
    }
  }
}
