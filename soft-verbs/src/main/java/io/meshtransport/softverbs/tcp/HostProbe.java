// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.tcp;

import java.io.IOException;
import java.net.ConnectException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.List;

/**
 * Checks whether a peer's host lives while an established connection to it is silent. TCP repeats
 * after 0.2, 0.6 and 1.4 s and then only after 3 s (RFC 6298 section 5.5), so where many frames are
 * lost, all repeats within the bound on silence may be lost. A new connection attempt sends a SYN
 * at once: a few of them, close together, see through loss. An accepted or a refused attempt is a
 * sign of life; it is closed unused. Where a firewall drops them, nothing changes. Guarded by the
 * device's lock.
 */
final class HostProbe implements SelectionHandler {
  /** Attempts that may be under way at once; the oldest gives way to a new one. */
  static final int MAX_ATTEMPTS = 8;

  /** The time between two attempts. */
  static final long INTERVAL_NS = 100_000_000L;

  private final TcpNetwork network;
  private final DevicePair ends;
  private final ConnectionHealth health;
  private final ArrayDeque<SocketChannel> attempts = new ArrayDeque<>(MAX_ATTEMPTS);
  private long nextNs;

  /**
   * @param health receives each sign of life
   * @param nowNs when the first attempt may begin
   */
  HostProbe(TcpNetwork network, DevicePair ends, ConnectionHealth health, long nowNs) {
    this.network = network;
    this.ends = ends;
    this.health = health;
    this.nextNs = nowNs;
  }

  /** Begins one more attempt, unless the last has only just begun. */
  void attempt(long nowNs) {
    if (nextNs - nowNs > 0) {
      return;
    }
    nextNs = nowNs + INTERVAL_NS;
    if (attempts.size() == MAX_ATTEMPTS) {
      network.closeQuietly(attempts.remove());
    }
    SocketChannel channel = null;
    try {
      channel = SocketChannel.open();
      channel.bind(network.localEnd(ends));
      network.driven().register(channel, SelectionKey.OP_CONNECT, this);
      attempts.add(channel);
      if (channel.connect(network.remoteEnd(ends))) {
        answered();
      }
    } catch (ConnectException refused) {
      answered();
    } catch (IOException e) {
      // No descriptor, no address, no route: that is no sign of the peer.
      drop(channel);
    }
  }

  @Override
  public void onReady(SelectionKey key) {
    SocketChannel channel = (SocketChannel) key.channel();
    try {
      if (channel.finishConnect()) {
        answered();
      }
    } catch (ConnectException refused) {
      answered();
    } catch (IOException e) {
      drop(channel);
    }
  }

  /** Serving one attempt has failed: all end, and the next begins anew. */
  @Override
  public void onFailure(Throwable failure) {
    close();
  }

  private void answered() {
    health.hostAnswered(network.nowNs());
    close();
  }

  private void drop(SocketChannel channel) {
    attempts.remove(channel);
    network.closeQuietly(channel);
  }

  /** Ends the attempts that are under way; another may follow. */
  void close() {
    List<SocketChannel> ended = List.copyOf(attempts);
    attempts.clear();
    ended.forEach(network::closeQuietly);
  }
}
