// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import io.meshtransport.spi.Channel;
import io.meshtransport.spi.ChannelState;
import io.meshtransport.spi.Counter;
import io.meshtransport.spi.Latencies;
import io.meshtransport.spi.Route;
import io.meshtransport.spi.SendChannel;
import io.meshtransport.spi.TransportException;
import io.meshtransport.verbs.VerbsException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * What callers see of a channel, at either end: testing, waiting, closing. Owned by whoever got it
 * from a ChannelFuture; the lock makes {@link #close} safe from any thread, everything else is one
 * thread at a time. No lock is held while waiting.
 */
abstract class MeshChannel extends ChannelTraffic implements Channel {
  /**
   * How long closing sleeps between two looks for the answer to GOODBYE; a cable's round trip is
   * shorter.
   */
  private static final long GOODBYE_LOOK_NS = 50_000;

  /** What closing may take beside the wait for the peer. */
  private static final long OTHER_CLOSE_GRACE_NS = 1_000_000_000 + 2 * Teardown.PATIENCE_NS;

  private static final long OTHER_CLOSE_LOOK_NS = 1_000_000;

  private static final long NO_REQUEST = -1;
  private static final long NO_MOVES = -1;

  private final ChannelContext context;
  private final ChannelTiming timing;

  /** Of whoever waits, here or in {@link #awaitMove}: one thread at a time. */
  private final AdaptiveSpin spin;

  private final PeerTraffic traffic;
  private final LatencyRecord latencies = LatencyRecord.ofChannel();

  MeshChannel(ChannelContext context, ChannelLifeCycle life, VerbsEndpoint line, Route route) {
    super(life, line, route, context.timing());
    this.context = context;
    this.timing = context.timing();
    this.spin = new AdaptiveSpin(timing.spinNs(), SpinnerCount.OF_THIS_PROCESS);
    this.traffic = context.traffic().of(line.nic().nic().device(), route.peer());
    if (isSending()) {
      requests.time(new SendTimer(latencies, traffic.latencies(), System::nanoTime));
    }
  }

  /** The length of each message of a request that succeeded. */
  abstract void lengths(int slot, long[] into);

  @Override
  public final ChannelState state() {
    return currentState();
  }

  @Override
  public final Map<Counter, Long> counts() {
    return counted().toMap();
  }

  /** Of sends, as {@link SendChannel#latencies}; a receiving end has none. */
  public final Latencies latencies() {
    return latencies.read();
  }

  /** Heap that they take. */
  final int latencyBytes() {
    return latencies.footprintBytes();
  }

  final ChannelCounters counted() {
    return requests.counts();
  }

  final boolean isSending() {
    return this instanceof SendChannel;
  }

  /** Where what goes over this channel is counted with what goes to and from the same peer. */
  final PeerTraffic traffic() {
    return traffic;
  }

  @Override
  public final Route route() {
    return route;
  }

  /** Somebody wants to know about a request that is not over: asks the peer, if that helps. */
  void askAbout(int slot) {
    // Most requests end by themselves.
  }

  /** What the log says when it is ready. */
  final String readyLine() {
    return route + " in " + TimeUnit.NANOSECONDS.toMillis(route.handshakeNs()) + " ms";
  }

  final ChannelContext context() {
    return context;
  }

  /** Begins a request; the caller has made sure that there is a slot. */
  final int begin(long timeoutNs) {
    if (timeoutNs == SendChannel.NO_DEADLINE) {
      return requests.begin(0, SendChannel.NO_DEADLINE);
    }
    return requests.begin(System.nanoTime(), timeoutNs);
  }

  @Override
  public final long test(long request) {
    return test(request, null);
  }

  @Override
  public final long test(long request, long[] lengthsBytes) {
    lock.lock();
    try {
      int slot = look(request, lengthsBytes);
      long outcome = requests.outcome(slot);
      if (outcome == PENDING) {
        askAbout(slot);
        return PENDING;
      }
      if (outcome == FAILED) {
        failedWith(requests.failure(slot));
      } else if (lengthsBytes != null) {
        lengths(slot, lengthsBytes);
      }
      requests.end(slot);
      return outcome;
    } finally {
      lock.unlock();
    }
  }

  /** The slot of a request, having moved along whatever can be moved. With the lock held. */
  final int look(long request, long[] lengthsBytes) {
    int slot = requests.slot(request);
    requireRoom(slot, lengthsBytes);
    if (requests.outcome(slot) == PENDING) {
      progress();
    }
    return slot;
  }

  private void requireRoom(int slot, long[] lengthsBytes) {
    if (lengthsBytes != null && lengthsBytes.length < requests.size(slot)) {
      throw new IllegalArgumentException(
          "room for "
              + lengthsBytes.length
              + " lengths, but the request has "
              + requests.size(slot));
    }
  }

  @Override
  public final long await(long request, Duration timeout) {
    long startNs = System.nanoTime();
    long timeoutNs = Durations.nanos(timeout);
    spin.begin(startNs);
    try {
      while (true) {
        long outcome = test(request);
        long nowNs = System.nanoTime();
        long leftNs = timeoutNs - (nowNs - startNs);
        if (outcome != PENDING || leftNs <= 0 || Thread.currentThread().isInterrupted()) {
          spin.end(nowNs, outcome != PENDING);
          return outcome;
        }
        spinOrPark(request, NO_MOVES, nowNs, leftNs);
      }
    } finally {
      spin.finish();
    }
  }

  @Override
  public final long awaitProgress(long seen, Duration timeout) {
    long startNs = System.nanoTime();
    long timeoutNs = Durations.nanos(timeout);
    spin.begin(startNs);
    try {
      while (true) {
        boolean isLive = locked(this::moveOn);
        long nowNs = System.nanoTime();
        long leftNs = timeoutNs - (nowNs - startNs);
        boolean hasMoved = progressCount() != seen;
        if (!isLive || hasMoved || leftNs <= 0 || Thread.currentThread().isInterrupted()) {
          spin.end(nowNs, hasMoved);
          return progressCount();
        }
        spinOrPark(NO_REQUEST, seen, nowNs, leftNs);
      }
    } finally {
      spin.finish();
    }
  }

  private void spinOrPark(long request, long seen, long nowNs, long leftNs) {
    if (spin.mayGoOn(nowNs)) {
      Thread.onSpinWait();
    } else {
      spin.parks();
      park(request, seen, leftNs);
    }
  }

  private boolean moveOn() {
    progress();
    return live();
  }

  @Override
  public final long progressCount() {
    return movesSoFar();
  }

  /**
   * Parks until something completes, a deadline or the silence is over, or somebody closes the
   * channel.
   *
   * @param request whose end is waited for, or {@link #NO_REQUEST}
   * @param seen without a request: any other number of moves is what is waited for
   */
  private void park(long request, long seen, long atMostNs) {
    VerbsEndpoint parkedOn;
    long parkNs;
    lock.lock();
    try {
      parkedOn = lineToParkOn();
      check(parkedOn, live() ? parkedOn.arm() : 0, "a request for an event");
      // What completed before the arming raises no event, and one batch may not be all of it: park
      // only when there was nothing.
      if (progress() > 0 || !live() || isOver(request, seen)) {
        return;
      }
      counted().add(Counter.PARKED_WAITS, 1);
      parkNs = untilDeadlineNs(System.nanoTime(), Math.min(atMostNs, longestParkNs()));
    } finally {
      lock.unlock();
    }
    try {
      parkedOn.events().await(parkNs);
    } catch (VerbsException e) {
      cannotWait(parkedOn, e);
    }
  }

  /** The line whose completions are to wake the waiter. */
  VerbsEndpoint lineToParkOn() {
    return line;
  }

  /** How long nobody need look at what does not wake the waiter. */
  long longestParkNs() {
    return timing.silenceNs();
  }

  private boolean isOver(long request, long seen) {
    return request == NO_REQUEST
        ? progressCount() != seen
        : requests.outcome(requests.slot(request)) != PENDING;
  }

  /** Whoever cannot be woken must not go on as if nothing were complete. */
  private void cannotWait(VerbsEndpoint on, VerbsException why) {
    lock.lock();
    try {
      // Otherwise it was closed meanwhile: the next test tells the caller so.
      if (ready()) {
        lineFailed(on, ChannelFailures.waiting(route, why));
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public final void detach(long request) {
    lock.lock();
    try {
      int slot = requests.slot(request);
      if (requests.outcome(slot) == PENDING) {
        askAbout(slot);
      }
      requests.forget(slot);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public final TransportException failure() {
    TransportException last = lastFailure();
    if (last == null) {
      throw new IllegalStateException(route + ": nothing has failed");
    }
    return last.copy();
  }

  /** Which way it goes, in what state it is, and how many requests are outstanding. Any thread. */
  @Override
  public final String toString() {
    return (isSending() ? "SendChannel to " : "ReceiveChannel from ")
        + route
        + ": "
        + state()
        + ", "
        + requests.outstanding()
        + " requests outstanding";
  }

  @Override
  public final void close() {
    closeAll(List.of(this));
  }

  /** Closes several at once: all say goodbye before any waits for the answer. */
  static void closeAll(List<? extends MeshChannel> channels) {
    List<MeshChannel> closing = new ArrayList<>();
    List<MeshChannel> closedByOthers = new ArrayList<>();
    for (MeshChannel channel : channels) {
      if (channel.locked(channel::leave)) {
        channel.eachLine(line -> line.events().wakeUp());
        closing.add(channel);
      } else {
        closedByOthers.add(channel);
      }
    }
    long startNs = System.nanoTime();
    closing.forEach(channel -> channel.awaitGoodbye(startNs));
    closing.forEach(MeshChannel::finishClosing);
    closedByOthers.forEach(MeshChannel::awaitOtherClose);
  }

  /** Another thread closes it, which takes a bounded time. */
  private void awaitOtherClose() {
    long startNs = System.nanoTime();
    long atMostNs = timing.goodbyeNs() + OTHER_CLOSE_GRACE_NS;
    while (state() != ChannelState.CLOSED && System.nanoTime() - startNs < atMostNs) {
      LockSupport.parkNanos(this, OTHER_CLOSE_LOOK_NS);
    }
  }

  /**
   * Whether it can be used, for one that waits to be accepted: its peer may have gone meanwhile.
   */
  final boolean isUsable() {
    return locked(
        () -> {
          lookWithoutRequests();
          return ready();
        });
  }

  /** Closes it from a thread that must not wait: soon, on the set-up thread. */
  final void abandon() {
    context.executor().execute(this::close);
  }

  private void awaitGoodbye(long startNs) {
    while (locked(this::stillLeaving) && System.nanoTime() - startNs < timing.goodbyeNs()) {
      LockSupport.parkNanos(this, GOODBYE_LOOK_NS);
    }
  }

  private void finishClosing() {
    lock.lock();
    try {
      end();
    } finally {
      // Last: a transport that closes waits until none of its channels is left.
      context.onClosed().accept(this);
      lock.unlock();
    }
  }

  /**
   * A NIC is gone from this host: what goes over it ends, and whoever waits there hears of it. Said
   * again until nothing uses the NIC any more, for its host may wait for that: what a channel has
   * there is taken away though nobody tests the channel.
   */
  final void nicGone(OpenNic nic, String why) {
    lock.lock();
    try {
      List<VerbsEndpoint> there = new ArrayList<>();
      eachLine(
          each -> {
            if (each.nic() == nic) {
              there.add(each);
            }
          });
      for (VerbsEndpoint each : there) {
        if (live()) {
          lineFailed(each, ChannelFailures.nicGone(route, nic.nic().label(), why));
        }
      }
      if (!there.isEmpty() && live()) {
        progress();
      }
      if (currentState() == ChannelState.FAILED) {
        there.forEach(VerbsEndpoint::discard);
      }
      if (!there.isEmpty() && currentState() != ChannelState.CLOSED) {
        eachLine(each -> each.events().wakeUp());
      }
    } finally {
      lock.unlock();
    }
  }

  private boolean locked(BooleanSupplier step) {
    lock.lock();
    try {
      return step.getAsBoolean();
    } finally {
      lock.unlock();
    }
  }
}
