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
 * The connecting side of one {@link Handshaker}: all connects and questions that are not finished,
 * and the turns they take. Confined to the event loop, except {@link #connect}, {@link #lookup} and
 * {@link #abandonAll}, which any thread may call.
 */
final class Dialer {
  /**
   * Most connects and questions that may be unfinished at once; beyond that they are BUSY at once.
   */
  static final int MAX_CONNECTS = 65_536;

  private final EventLoop loop;
  private final CallbackThreads callbacks;
  private final Identity identity;
  private final HandshakeSettings settings;
  private final HandshakeCounters counters;
  private final ConnectionPool pool;
  private final AtomicInteger unfinished = new AtomicInteger();

  /** All whose outcome is not told; any thread. */
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

  CompletableFuture<byte[]> lookup(LookupRequest question) {
    return start(Counter.LOOKUPS, question, dial -> new OutboundQuery(dial, identity, counters));
  }

  private <T> CompletableFuture<T> start(
      Counter wish, DialTarget target, Function<Dial<T>, OutboundConnection> newAttempt) {
    counters.count(wish);
    if (unfinished.incrementAndGet() > MAX_CONNECTS) {
      unfinished.decrementAndGet();
      return refuseAtOnce(
          target,
          Reason.BUSY,
          MAX_CONNECTS + " connects and questions are unfinished on this side.");
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

  /** Hands to the loop; false if it has ended. */
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

  /** Has a dial wait for its turn; it comes at once if one is free. */
  void enqueue(Dial<?> dial) {
    queue.add(dial);
    giveTurns();
  }

  /** Leaves the queue without having had a turn. */
  void dequeue(Dial<?> dial) {
    queue.remove(dial);
  }

  /** A dial that had its turn does not need it any more. */
  void releaseTurn() {
    turnsTaken--;
    giveTurns();
  }

  private void giveTurns() {
    while (turnsTaken < settings.maxHalfOpen() && !queue.isEmpty() && !closed) {
      Dial<?> next = queue.iterator().next();
      queue.remove(next);
      turnsTaken++;
      next.dial();
    }
  }

  /** A dial has told its outcome. */
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
    // Later, even if it has failed already: the dial does not know its attempt yet.
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

  /** Runs a callback of the owner, off the loop. */
  void call(Runnable callback) {
    callbacks.execute(callback);
  }

  /** Calls back on the loop after a time. */
  Future<?> after(long delayNs, Runnable task) {
    return loop.schedule(task, Math.max(0, delayNs), TimeUnit.NANOSECONDS);
  }

  /** Fails every connect, now and from now on; complete when the last outcome is told. */
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

  /** Tells all outcomes at once, whatever the loop and the callbacks are at; from any thread. */
  void abandonAll() {
    incomplete.forEach(Dial::abandon);
  }

  /** Connections that wait for another connect. */
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

  int retryCount() {
    return settings.retryCount();
  }
}
