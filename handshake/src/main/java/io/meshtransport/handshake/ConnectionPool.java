// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import io.meshtransport.handshake.HandshakeCounters.Counter;
import io.netty.channel.EventLoop;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * The connections of a {@link Dialer} that wait for another handshake over the same way: to make
 * and to end a TCP connection costs more than the handshake. Whoever connects takes the one that
 * was used last, so that those a storm leaves over grow old, and are closed. Confined to the event
 * loop.
 */
final class ConnectionPool {
  /**
   * Longest that one is kept, in milliseconds: twice as long as a peer usually waits for the next
   * HELLO. So the peer closes first, and the port that then lingers in TIME_WAIT is the one it
   * listens on, not one of our ephemeral ones. What it closes while we say our next HELLO is made
   * up for ({@link Dial#redial}).
   */
  static final int MAX_IDLE_MS = 2 * HandshakeSettings.USUAL_HELLO_TIMEOUT_MS;

  private static final long MAX_IDLE_NS = TimeUnit.MILLISECONDS.toNanos(MAX_IDLE_MS);

  /** Where a connection goes: two with the same ends are as good as one another. */
  record Key(InetAddress local, InetSocketAddress remote) {
    static Key of(DialTarget target) {
      return new Key(target.local(), target.remote());
    }
  }

  private final EventLoop loop;
  private final Identity identity;
  private final HandshakeCounters counters;
  private final int maxIdle;

  /** All, the oldest first. */
  private final Set<IdleConnection> all = new LinkedHashSet<>();

  /** The same by their ways, the newest first. */
  private final Map<Key, Deque<IdleConnection>> byKey = new HashMap<>();

  private boolean sweepDue;
  private boolean closed;

  /**
   * @param most how many are kept at once; beyond that the oldest is closed
   */
  ConnectionPool(EventLoop loop, Identity identity, HandshakeCounters counters, int most) {
    this.loop = loop;
    this.identity = identity;
    this.counters = counters;
    this.maxIdle = most;
  }

  /** Keeps the connection of a handshake that succeeded, and that has said all it will. */
  void keep(HandshakeChannel former, Key way) {
    if (closed || !former.isReusable()) {
      former.closeConnection();
      return;
    }
    if (all.size() >= maxIdle) {
      drop(all.iterator().next());
    }
    IdleConnection kept = new IdleConnection(this, way, identity.nowNs(), counters);
    all.add(kept);
    byKey.computeIfAbsent(way, any -> new ArrayDeque<>()).addFirst(kept);
    counters.count(Counter.IDLE_CONNECTIONS);
    if (!sweepDue) {
      sweepDue = true;
      sweepAfter(MAX_IDLE_NS);
    }
    former.handOver(kept);
  }

  /**
   * Has an attempt go on with a connection that was kept, if there is one.
   *
   * @return false if it has to dial
   */
  boolean reuse(Key way, OutboundConnection attempt) {
    Deque<IdleConnection> fitting = byKey.get(way);
    while (fitting != null && !fitting.isEmpty()) {
      IdleConnection kept = fitting.peekFirst();
      remove(kept);
      if (kept.isReusable()) {
        counters.count(Counter.REUSED);
        kept.handOver(attempt);
        return true;
      }
      kept.closeConnection();
    }
    return false;
  }

  /** Closes one, if it is still kept. */
  void drop(IdleConnection kept) {
    if (remove(kept)) {
      kept.closeConnection();
    }
  }

  private boolean remove(IdleConnection kept) {
    if (!all.remove(kept)) {
      return false;
    }
    counters.uncount(Counter.IDLE_CONNECTIONS);
    Deque<IdleConnection> sameWay = byKey.get(kept.key());
    sameWay.remove(kept);
    if (sameWay.isEmpty()) {
      byKey.remove(kept.key());
    }
    return true;
  }

  private void sweep() {
    while (!all.isEmpty() && ageNs(all.iterator().next()) >= MAX_IDLE_NS) {
      drop(all.iterator().next());
    }
    sweepDue = !all.isEmpty();
    if (sweepDue) {
      sweepAfter(MAX_IDLE_NS - ageNs(all.iterator().next()));
    }
  }

  private long ageNs(IdleConnection kept) {
    return identity.nowNs() - kept.sinceNs();
  }

  private void sweepAfter(long delayNs) {
    loop.schedule(this::sweep, delayNs, TimeUnit.NANOSECONDS);
  }

  /** Closes all, and keeps none from now on. */
  void close() {
    closed = true;
    List.copyOf(all).forEach(this::drop);
  }
}
