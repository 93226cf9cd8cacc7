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
 * The idle connections of a {@link Dialer}, for further handshakes between the same addresses:
 * opening and closing a TCP connection costs more than the handshake. The connection that was used
 * last is reused first, so that those left over after many connects grow old and are closed.
 * Confined to the event loop.
 */
final class ConnectionPool {
  /**
   * Max time that a connection stays idle, in milliseconds: twice as long as a peer usually waits
   * for the next HELLO. So the peer closes first, and the port in TIME_WAIT is the one that it
   * listens on, not one of our ephemeral ports. If it closes while we send our next HELLO, {@link
   * Dial#redial} dials anew.
   */
  static final int MAX_IDLE_MS = 2 * HandshakeSettings.USUAL_HELLO_TIMEOUT_MS;

  private static final long MAX_IDLE_NS = TimeUnit.MILLISECONDS.toNanos(MAX_IDLE_MS);

  /** The addresses of a connection; those with equal keys are interchangeable. */
  record Key(InetAddress local, InetSocketAddress remote) {
    static Key of(DialTarget target) {
      return new Key(target.local(), target.remote());
    }

    // Written out: those that a record is given are linked at their first use, for milliseconds.
    @Override
    public boolean equals(Object other) {
      return other instanceof Key that && local.equals(that.local) && remote.equals(that.remote);
    }

    @Override
    public int hashCode() {
      return 31 * local.hashCode() + remote.hashCode();
    }
  }

  private final EventLoop loop;
  private final Identity identity;
  private final HandshakeCounters counters;
  private final int maxIdle;

  /** All connections, the oldest first. */
  private final Set<IdleConnection> all = new LinkedHashSet<>();

  /** The same connections by their addresses, the newest first. */
  private final Map<Key, Deque<IdleConnection>> byKey = new HashMap<>();

  private boolean sweepDue;
  private boolean closed;

  /**
   * @param maxIdle max connections; beyond that the oldest is closed
   */
  ConnectionPool(EventLoop loop, Identity identity, HandshakeCounters counters, int maxIdle) {
    this.loop = loop;
    this.identity = identity;
    this.counters = counters;
    this.maxIdle = maxIdle;
  }

  /** Adds the connection of a handshake that succeeded and has sent its final frame. */
  void keep(HandshakeChannel previous, Key key) {
    if (closed || !previous.isReusable()) {
      previous.closeConnection();
      return;
    }
    if (all.size() >= maxIdle) {
      drop(all.iterator().next());
    }
    IdleConnection idle = new IdleConnection(this, key, identity.nowNs(), counters);
    all.add(idle);
    byKey.computeIfAbsent(key, any -> new ArrayDeque<>()).addFirst(idle);
    counters.count(Counter.IDLE_CONNECTIONS);
    if (!sweepDue) {
      sweepDue = true;
      sweepAfter(MAX_IDLE_NS);
    }
    previous.handOver(idle);
  }

  /**
   * Hands an idle connection over to an attempt, if there is one.
   *
   * @return false if the attempt has to dial
   */
  boolean reuse(Key key, OutboundConnection attempt) {
    Deque<IdleConnection> matching = byKey.get(key);
    while (matching != null && !matching.isEmpty()) {
      IdleConnection idle = matching.peekFirst();
      remove(idle);
      if (idle.isReusable()) {
        counters.count(Counter.REUSED);
        idle.handOver(attempt);
        return true;
      }
      idle.closeConnection();
    }
    return false;
  }

  /** Closes a connection, if it is still idle. */
  void drop(IdleConnection idle) {
    if (remove(idle)) {
      idle.closeConnection();
    }
  }

  private boolean remove(IdleConnection idle) {
    if (!all.remove(idle)) {
      return false;
    }
    counters.uncount(Counter.IDLE_CONNECTIONS);
    Deque<IdleConnection> sameKey = byKey.get(idle.key());
    sameKey.remove(idle);
    if (sameKey.isEmpty()) {
      byKey.remove(idle.key());
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

  private long ageNs(IdleConnection idle) {
    return identity.nowNs() - idle.sinceNs();
  }

  private void sweepAfter(long delayNs) {
    loop.schedule(this::sweep, delayNs, TimeUnit.NANOSECONDS);
  }

  /** Closes all, and accepts none from now on. */
  void close() {
    closed = true;
    List.copyOf(all).forEach(this::drop);
  }
}
