// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import io.meshtransport.handshake.HandshakeCounters.Counter;
import io.meshtransport.handshake.HandshakeException.Reason;
import io.netty.channel.EventLoop;
import java.net.InetAddress;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * The accepting side of one {@link Handshaker}: the state that all accepted connections share, and
 * the bound on connections that have sent no HELLO yet. Confined to the event loop, except {@link
 * #publish}.
 */
final class InboundConnections {
  /** Max connections dropped at once, about a millisecond's work. */
  private static final int SWEEP_BATCH = 32;

  private final EventLoop loop;
  private final CallbackThreads callbacks;
  private final Identity identity;
  private final HandshakeSettings settings;
  private final Acceptor acceptor;
  private final HandshakeCounters counters;
  private final HalfOpenPermits permits;
  private final RecentNonces nonces = new RecentNonces();
  private final QueryRateLimiter queryLimiter;
  private final Set<InboundConnection> preHello = new LinkedHashSet<>();

  /** Those of {@link #preHello} that served a handshake before, in the same order. */
  private final Set<InboundConnection> idle = new LinkedHashSet<>();

  private final Set<InboundConnection> admitted = new LinkedHashSet<>();
  private final CompletableFuture<Void> emptied = new CompletableFuture<>();

  /** The answer to handle queries; written by any thread. */
  private volatile Optional<byte[]> handle = Optional.empty();

  private final SecretWarnings secretWarnings = new SecretWarnings();
  private boolean sweepDue;
  private boolean closed;

  InboundConnections(
      EventLoop loop,
      CallbackThreads callbacks,
      Identity identity,
      HandshakeSettings settings,
      Acceptor acceptor,
      HandshakeCounters counters) {
    this.loop = loop;
    this.callbacks = callbacks;
    this.identity = identity;
    this.settings = settings;
    this.acceptor = acceptor;
    this.counters = counters;
    permits = new HalfOpenPermits(settings, counters);
    queryLimiter = new QueryRateLimiter(identity.random().nextInt(), identity.nowNs());
  }

  InboundHandshake newConnection() {
    return new InboundHandshake(this, acceptor);
  }

  LegacyInbound newLegacyConnection(LegacyAcceptor owner) {
    return new LegacyInbound(this, owner);
  }

  /** A connection was accepted; if there are too many, the oldest is closed. */
  void accepted(InboundConnection handshake) {
    counters.count(Counter.ACCEPTED);
    if (closed) {
      handshake.drop();
      return;
    }
    addPreHello(handshake);
  }

  private void addPreHello(InboundConnection handshake) {
    if (preHello.size() >= settings.maxPreHello()) {
      counters.count(Counter.EVICTED);
      evictionCandidate().drop();
    }
    preHello.add(handshake);
    if (!sweepDue) {
      sweepDue = true;
      after(helloTimeoutNs(), this::sweep);
    }
  }

  /** Idle connections are closed first: their peers dial again and lose nothing else. */
  private InboundConnection evictionCandidate() {
    return idle.isEmpty() ? oldest() : idle.iterator().next();
  }

  /**
   * A connection whose handshake succeeded becomes idle, until the next one. It counts as
   * pre-HELLO, like one just accepted; at most {@link HandshakeSettings#maxHalfOpen} are idle.
   */
  void idle(InboundConnection handshake) {
    if (closed) {
      handshake.drop();
      return;
    }
    if (idle.size() >= settings.maxHalfOpen()) {
      idle.iterator().next().drop();
    }
    addPreHello(handshake);
    idle.add(handshake);
    counters.count(Counter.IDLE_CONNECTIONS);
  }

  /** An idle connection has sent the first frame of its next handshake. */
  void openingReceived(InboundConnection handshake) {
    removeIdle(handshake);
    // To the end: the set is ordered by age, which begins anew.
    preHello.remove(handshake);
    preHello.add(handshake);
  }

  private void removeIdle(InboundConnection handshake) {
    if (idle.remove(handshake)) {
      counters.uncount(Counter.IDLE_CONNECTIONS);
    }
  }

  /**
   * Drops connections whose HELLO is overdue; the set is in the order of arrival. A few at a time,
   * so that a thousand that arrived together do not delay a real peer when they are dropped
   * together.
   */
  private void sweep() {
    int dropped = 0;
    while (dropped < SWEEP_BATCH && !preHello.isEmpty() && oldest().ageNs() >= helloTimeoutNs()) {
      if (!oldest().isIdle()) {
        counters.count(Counter.HELLO_TIMED_OUT);
      }
      oldest().drop();
      dropped++;
    }
    sweepDue = !preHello.isEmpty();
    if (sweepDue) {
      after(helloTimeoutNs() - oldest().ageNs(), this::sweep);
    }
  }

  private InboundConnection oldest() {
    return preHello.iterator().next();
  }

  private long helloTimeoutNs() {
    return TimeUnit.MILLISECONDS.toNanos(settings.helloTimeoutMs());
  }

  /** Its HELLO is valid: queues it for a permit; false if the queue is full. */
  boolean admit(InboundConnection handshake) {
    preHello.remove(handshake);
    admitted.add(handshake);
    return permits.enqueue(handshake);
  }

  boolean isNew(ConnectionNonce nonce) {
    return nonces.add(nonce, identity.nowNs());
  }

  /** Answers handle queries with this handle from now on, or that there is none. Any thread. */
  void publish(Optional<byte[]> newHandle) {
    handle = newHandle;
  }

  /** Refuses queries of a host that sends too many. */
  void requireWithinRate(InetAddress remote) throws WireException {
    if (!queryLimiter.tryAcquire(remote, identity.nowNs())) {
      throw new WireException(
          Reason.BUSY,
          "At most %d queries per second from one address, and %d from all, are answered."
              .formatted(QueryRateLimiter.PER_ADDRESS_PER_S, QueryRateLimiter.PER_S));
    }
  }

  /** The handle to answer with. */
  byte[] requireHandle() throws WireException {
    return handle.orElseThrow(() -> new WireException(Reason.NOT_LISTENING, ""));
  }

  /** A handshake without a permit has ended. */
  void ended(InboundConnection handshake) {
    removeIdle(handshake);
    preHello.remove(handshake);
    admitted.remove(handshake);
    permits.withdraw(handshake);
    completeIfEmptied();
  }

  /** A handshake with a permit has ended, and so has its last callback. */
  void permitReleased(InboundConnection handshake) {
    admitted.remove(handshake);
    permits.release(handshake);
    completeIfEmptied();
  }

  /** An accepted handshake has failed: counts it, and warns now and then of a wrong secret. */
  void failed(InboundConnection handshake, Reason reason) {
    counters.countInboundFailure(reason);
    secretWarnings.failed(handshake.remoteHost(), reason, identity.nowNs());
  }

  /** Runs a callback of the acceptor on a callback thread. */
  void call(Runnable callback) {
    callbacks.execute(callback);
  }

  EventLoop loop() {
    return loop;
  }

  Identity identity() {
    return identity;
  }

  HandshakeSettings settings() {
    return settings;
  }

  HandshakeCounters counters() {
    return counters;
  }

  /** Refuses every connection, now and from now on; complete when the last callback has run. */
  CompletableFuture<Void> close() {
    closed = true;
    List.copyOf(preHello).forEach(InboundConnection::drop);
    List.copyOf(admitted)
        .forEach(handshake -> handshake.refuse(Reason.CLOSED, "The transport closed."));
    completeIfEmptied();
    return emptied;
  }

  private void completeIfEmptied() {
    if (closed && preHello.isEmpty() && admitted.isEmpty()) {
      emptied.complete(null);
    }
  }

  /** Runs a task on the event loop after a delay. */
  Future<?> after(long delayNs, Runnable task) {
    return loop.schedule(task, Math.max(0, delayNs), TimeUnit.NANOSECONDS);
  }
}
