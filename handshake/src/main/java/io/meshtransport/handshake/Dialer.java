// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import io.meshtransport.handshake.HandshakeCounters.Counter;
import io.meshtransport.handshake.HandshakeException.Reason;
import io.netty.channel.ChannelFuture;
import io.netty.channel.EventLoop;
import java.net.InetSocketAddress;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * The connecting side of one {@link Handshaker}: all connects and lookups in progress, and the
 * order in which they dial. Confined to the event loop, except {@link #connect}, {@link #lookup}
 * and {@link #abandonAll}, which any thread may call.
 */
final class Dialer {
  /** Max connects and lookups in progress; further ones fail with BUSY at once. */
  static final int MAX_CONNECTS = 65_536;

  private final EventLoop loop;
  private final CallbackThreads callbacks;
  private final Identity identity;
  private final HandshakeSettings settings;
  private final HandshakeCounters counters;
  private final ConnectionPool pool;
  private final AtomicInteger unfinished = new AtomicInteger();

  /** Dials whose future is not complete; any thread. */
  private final Set<Dial<?>> incomplete = ConcurrentHashMap.newKeySet();

  private final Set<Dial<?>> dials = new LinkedHashSet<>();
  private final Set<Dial<?>> queue = new LinkedHashSet<>();
  private final CompletableFuture<Void> emptied = new CompletableFuture<>();
  private int turnsTaken;
  private boolean closed;

  Dialer(
      EventLoop loop,
      CallbackThreads callbacks,
      Identity identity,
      HandshakeSettings settings,
      HandshakeCounters counters) {
    this.loop = loop;
    this.callbacks = callbacks;
    this.identity = identity;
    this.settings = settings;
    this.counters = counters;
    pool = new ConnectionPool(loop, identity, counters, settings.maxHalfOpen());
  }

  CompletableFuture<Established> connect(ConnectRequest request, BringUp bringUp) {
    return start(
        Counter.CONNECTS,
        request,
        dial -> new OutboundHandshake(dial, request, bringUp, identity, counters));
  }

  CompletableFuture<LegacyEstablished> connectLegacy(
      LegacyConnectRequest request, LegacyBringUp bringUp) {
    return start(
        Counter.CONNECTS, request, dial -> new LegacyOutbound(dial, request, bringUp, counters));
  }

  CompletableFuture<byte[]> lookup(LookupRequest request) {
    return start(Counter.LOOKUPS, request, dial -> new OutboundQuery(dial, identity, counters));
  }

  private <T> CompletableFuture<T> start(
      Counter begun, DialTarget target, Function<Dial<T>, OutboundConnection> newAttempt) {
    counters.count(begun);
    if (unfinished.incrementAndGet() > MAX_CONNECTS) {
      unfinished.decrementAndGet();
      return refuseAtOnce(
          target,
          Reason.BUSY,
          MAX_CONNECTS + " connects and lookups are in progress on this side.");
    }
    counters.count(Counter.CONNECTING);
    Dial<T> dial = new Dial<>(this, target, newAttempt);
    incomplete.add(dial);
    dial.future()
        .whenComplete(
            (outcome, failure) -> {
              incomplete.remove(dial);
              if (dial.future().isCancelled()) {
                toLoop(() -> dial.abort(Reason.CANCELLED, ""));
              }
            });
    if (!toLoop(() -> start(dial))) {
      incomplete.remove(dial);
      unfinished.decrementAndGet();
      counters.uncount(Counter.CONNECTING);
      return refuseAtOnce(target, Reason.CLOSED, "");
    }
    return dial.future();
  }

  /** Runs a task on the event loop; false if that has ended. */
  private boolean toLoop(Runnable task) {
    try {
      loop.execute(task);
      return true;
    } catch (RejectedExecutionException e) {
      return false;
    }
  }

  private <T> CompletableFuture<T> refuseAtOnce(DialTarget target, Reason reason, String text) {
    counters.countOutboundFailure(reason);
    return CompletableFuture.failedFuture(
        new HandshakeException(reason, target.purpose(), text, null));
  }

  private void start(Dial<?> dial) {
    dials.add(dial);
    dial.start();
    if (closed) {
      dial.abort(Reason.CLOSED, "");
    }
  }

  /** Queues a dial for its turn, which comes at once if one is free. */
  void enqueue(Dial<?> dial) {
    queue.add(dial);
    giveTurns();
  }

  /** Removes a dial from the queue. */
  void dequeue(Dial<?> dial) {
    queue.remove(dial);
  }

  /** A dial gives its turn to the next one. */
  void releaseTurn() {
    turnsTaken--;
    giveTurns();
  }

  private void giveTurns() {
    while (turnsTaken < maxTurns() && !queue.isEmpty() && !closed) {
      Dial<?> next = queue.iterator().next();
      queue.remove(next);
      turnsTaken++;
      next.dial();
    }
  }

  /** A dial has completed its future. */
  void done(Dial<?> dial) {
    dials.remove(dial);
    unfinished.decrementAndGet();
    counters.uncount(Counter.CONNECTING);
    completeIfEmptied();
  }

  /** Opens the TCP connection of one attempt. */
  void dial(DialTarget target, OutboundConnection attempt) {
    counters.count(Counter.DIALED);
    ChannelFuture connected =
        Sockets.connect(loop, attempt, new InetSocketAddress(target.local(), 0), target.remote());
    // Executed later, even if it has failed already: the dial does not know its attempt yet.
    long begunNs = identity.nowNs();
    connected.addListener(
        done -> {
          if (!done.isSuccess()) {
            loop.execute(
                () -> {
                  ConnectFailure why =
                      ConnectFailure.of(done.cause(), target, identity.nowNs() - begunNs);
                  attempt.connectFailed(why.reason(), why.text(), why.cause());
                });
          }
        });
  }

  /** Runs a callback of the caller on a callback thread. */
  void call(Runnable callback) {
    callbacks.execute(callback);
  }

  /** Runs a task on the event loop after a delay. */
  Future<?> after(long delayNs, Runnable task) {
    return loop.schedule(task, Math.max(0, delayNs), TimeUnit.NANOSECONDS);
  }

  /** Fails every connect and lookup, now and from now on; complete when the last future is. */
  CompletableFuture<Void> close() {
    closed = true;
    pool.close();
    List.copyOf(dials).forEach(dial -> dial.abort(Reason.CLOSED, ""));
    completeIfEmptied();
    return emptied;
  }

  private void completeIfEmptied() {
    if (closed && dials.isEmpty()) {
      emptied.complete(null);
    }
  }

  /** Completes all futures at once, without the event loop and the callbacks; any thread. */
  void abandonAll() {
    incomplete.forEach(Dial::abandon);
  }

  /** The idle connections. */
  ConnectionPool pool() {
    return pool;
  }

  boolean isClosed() {
    return closed;
  }

  EventLoop loop() {
    return loop;
  }

  Identity identity() {
    return identity;
  }

  HandshakeCounters counters() {
    return counters;
  }

  /** Max connects and lookups on the wire at once. */
  int maxTurns() {
    return settings.maxHalfOpen();
  }

  int retryCount() {
    return settings.retryCount();
  }
}
