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
 * The accepting side of one {@link Handshaker}: what all accepted connections share, and the bound
 * on how many may stand on the doorstep without a HELLO. Confined to the event loop, except {@link
 * #publish}.
 */
final class InboundConnections {
  /** Connections dropped in one go, about a millisecond's work. */
  private static final int SWEEP_BATCH = 32;

  private final EventLoop loop;
  private final CallbackThreads callbacks;
  private final Identity identity;
  private final HandshakeSettings settings;
  private final Acceptor acceptor;
  private final HandshakeCounters counters;
  private final HalfOpenPermits line;
  private final RecentNonces nonces = new RecentNonces();
  private final QueryRateLimiter questions;
  private final Set<InboundConnection> doorstep = new LinkedHashSet<>();

  /** Those on the doorstep that a handshake went over before, in order. */
  private final Set<InboundConnection> kept = new LinkedHashSet<>();

  private final Set<InboundConnection> inside = new LinkedHashSet<>();
  private final CompletableFuture<Void> emptied = new CompletableFuture<>();

  /** What those who ask are told; written by any thread. */
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
    line = new HalfOpenPermits(settings, counters);
    questions = new QueryRateLimiter(identity.random().nextInt(), identity.nowNs());
  }

  InboundHandshake newConnection() {
    return new InboundHandshake(this, acceptor);
  }

  LegacyInbound newLegacyConnection(LegacyAcceptor owner) {
    return new LegacyInbound(this, owner);
  }

  /** A connection stands on the doorstep; the one that stood longest goes if there are too many. */
  void arrived(InboundConnection handshake) {
    counters.count(Counter.ACCEPTED);
    if (closed) {
      handshake.leaveDoorstep();
      return;
    }
    stand(handshake);
  }

  private void stand(InboundConnection handshake) {
    if (doorstep.size() >= settings.maxPreHello()) {
      counters.count(Counter.EVICTED);
      leastNeeded().leaveDoorstep();
    }
    doorstep.add(handshake);
    if (!sweepDue) {
      sweepDue = true;
      after(helloTimeoutNs(), this::sweep);
    }
  }

  /** Kept connections go first: whoever kept one dials again and loses nothing else. */
  private InboundConnection leastNeeded() {
    return kept.isEmpty() ? oldest() : kept.iterator().next();
  }

  /**
   * A connection whose handshake succeeded waits for the next one: on the doorstep, as if it had
   * just been accepted, but fewer of these are borne.
   */
  void kept(InboundConnection handshake) {
    if (closed) {
      handshake.leaveDoorstep();
      return;
    }
    if (kept.size() >= settings.maxHalfOpen()) {
      kept.iterator().next().leaveDoorstep();
    }
    stand(handshake);
    kept.add(handshake);
    counters.count(Counter.IDLE_CONNECTIONS);
  }

  /** A kept connection has said the first word of its next handshake. */
  void greeted(InboundConnection handshake) {
    keepNoMore(handshake);
    // It stands there since now.
    doorstep.remove(handshake);
    doorstep.add(handshake);
  }

  private void keepNoMore(InboundConnection handshake) {
    if (kept.remove(handshake)) {
      counters.uncount(Counter.IDLE_CONNECTIONS);
    }
  }

  /**
   * Drops those who stood on the doorstep for too long; they stand there in order of arrival. A few
   * at a time, so that a thousand who came together do not hold up a real peer when they go
   * together.
   */
  private void sweep() {
    int dropped = 0;
    while (dropped < SWEEP_BATCH && !doorstep.isEmpty() && oldest().ageNs() >= helloTimeoutNs()) {
      if (!oldest().isKept()) {
        counters.count(Counter.HELLO_TIMED_OUT);
      }
      oldest().leaveDoorstep();
      dropped++;
    }
    sweepDue = !doorstep.isEmpty();
    if (sweepDue) {
      after(helloTimeoutNs() - oldest().ageNs(), this::sweep);
    }
  }

  private InboundConnection oldest() {
    return doorstep.iterator().next();
  }

  private long helloTimeoutNs() {
    return TimeUnit.MILLISECONDS.toNanos(settings.helloTimeoutMs());
  }

  /** Its HELLO was good: it may stand in line for a place. */
  boolean letIn(InboundConnection handshake) {
    doorstep.remove(handshake);
    inside.add(handshake);
    return line.enter(handshake);
  }

  boolean isNew(ConnectionNonce nonce) {
    return nonces.add(nonce, identity.nowNs());
  }

  /** Tells those who ask from now on this handle, or that there is none. Any thread. */
  void publish(Optional<byte[]> newHandle) {
    handle = newHandle;
  }

  /** Refuses those who ask too often. */
  void requireSeldom(InetAddress remote) throws WireException {
    if (!questions.take(remote, identity.nowNs())) {
      throw new WireException(
          Reason.BUSY,
          "At most %d questions per second of one address, and %d of all, are answered."
              .formatted(QueryRateLimiter.PER_ADDRESS_PER_S, QueryRateLimiter.PER_S));
    }
  }

  /** What those who ask are told. */
  byte[] requireHandle() throws WireException {
    return handle.orElseThrow(() -> new WireException(Reason.NOT_LISTENING, ""));
  }

  /** A handshake without a place is over. */
  void left(InboundConnection handshake) {
    keepNoMore(handshake);
    doorstep.remove(handshake);
    inside.remove(handshake);
    line.leave(handshake);
    completeIfEmptied();
  }

  /** A handshake that had a place is over, and so is its last callback. */
  void leftPlace(InboundConnection handshake) {
    inside.remove(handshake);
    line.release(handshake);
    completeIfEmptied();
  }

  /** An accepted handshake has failed: what an operator must mend is said, now and then. */
  void failed(InboundConnection handshake, Reason reason) {
    counters.countInboundFailure(reason);
    secretWarnings.failed(handshake.remoteHost(), reason, identity.nowNs());
  }

  /** Runs a callback of the owner, off the loop. */
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

  /** Turns everyone away, now and from now on; complete when the last callback has run. */
  CompletableFuture<Void> close() {
    closed = true;
    List.copyOf(doorstep).forEach(InboundConnection::leaveDoorstep);
    List.copyOf(inside)
        .forEach(handshake -> handshake.refuse(Reason.CLOSED, "The transport closed."));
    completeIfEmptied();
    return emptied;
  }

  private void completeIfEmptied() {
    if (closed && doorstep.isEmpty() && inside.isEmpty()) {
      emptied.complete(null);
    }
  }

  /** Calls back on the loop after a time. */
  Future<?> after(long delayNs, Runnable task) {
    return loop.schedule(task, Math.max(0, delayNs), TimeUnit.NANOSECONDS);
  }
}
