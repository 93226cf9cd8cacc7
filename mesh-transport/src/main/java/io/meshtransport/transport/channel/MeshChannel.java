// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.channel;

import io.meshtransport.spi.Channel;
import io.meshtransport.spi.ChannelState;
import io.meshtransport.spi.Connection;
import io.meshtransport.spi.Counter;
import io.meshtransport.spi.Latencies;
import io.meshtransport.spi.ReceiveChannel;
import io.meshtransport.spi.Route;
import io.meshtransport.spi.SendChannel;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import io.meshtransport.transport.device.OpenNic;
import io.meshtransport.transport.endpoint.VerbsEndpoint;
import io.meshtransport.transport.jfr.RequestSpans;
import io.meshtransport.transport.stats.LatencyRecord;
import io.meshtransport.transport.stats.PeerTraffic;
import io.meshtransport.transport.stats.SendTimer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.IntSupplier;

/**
 * What callers see of every channel, handed on to its {@link ChannelCore}; the kinds of channels
 * add their requests. Owned by the caller that got it from a ChannelFuture; the core's lock makes
 * every call safe from any thread.
 */
public abstract class MeshChannel implements Channel {
  /** Waits of those who watch a channel, for its lock: that of a closing channel is kept longer. */
  private static final long WATCHING_WAITS_MS = 20;

  private static final AtomicLong NUMBERS = new AtomicLong();

  public final ChannelCore core;
  private final ChannelContext context;
  private final ChannelWait wait;

  /** For what a kind of channel adds to them. */
  protected final ProgramPolls polls;

  private final PeerTraffic traffic;
  private final LatencyRecord latencies = LatencyRecord.ofChannel();
  private final long number = NUMBERS.incrementAndGet();
  private final PendingWatch pendingWatch = new PendingWatch();
  private final IntSupplier outstanding;

  private final CloseStage closeStage = new CloseStage();

  /** A channel of {@link Transport#MAX_REQUESTS} requests at once. */
  public MeshChannel(
      ChannelContext context, ChannelLifeCycle life, VerbsEndpoint primary, Route route) {
    this(context, life, primary, route, Transport.MAX_REQUESTS);
  }

  /**
   * @param maxRequests outstanding at once
   */
  public MeshChannel(
      ChannelContext context,
      ChannelLifeCycle life,
      VerbsEndpoint primary,
      Route route,
      int maxRequests) {
    this.context = context;
    this.core = new ChannelCore(life, primary, route, context.timing(), maxRequests);
    this.polls = new ProgramPolls(core);
    this.wait = new ChannelWait(core, polls);
    life.made(number, route, maxRequests);
    this.outstanding = core.requests::outstanding;
    core.requests.record(new RequestSpans(number, route));
    core.attendance.begin(context.attendants().apply(this));
    this.traffic =
        context.traffic().of(primary.nic().nic().device(), route.peer(), route.peerName());
    if (isSending()) {
      core.requests.time(new SendTimer(latencies, traffic.latencies(), System::nanoTime));
    }
    if (isSending() && isReceiving()) {
      core.requests.countReceivedApart();
    }
  }

  public final ChannelContext context() {
    return context;
  }

  @Override
  public final boolean isPolled() {
    return core.attendance.isPolled();
  }

  /** It is READY, and known to its transport. */
  final void opened() {
    core.lock.lock();
    try {
      core.opened();
    } finally {
      core.lock.unlock();
    }
  }

  @Override
  public final ChannelState state() {
    return core.status.state();
  }

  @Override
  public final int maxRequests() {
    return core.requests.max();
  }

  @Override
  public final Route route() {
    return core.route;
  }

  @Override
  public final long test(long request) {
    return polls.test(request, null);
  }

  @Override
  public final long test(long request, long[] lengthsBytes) {
    return polls.test(request, lengthsBytes);
  }

  @Override
  public final long await(long request, Duration timeout) {
    return wait.await(request, timeout);
  }

  @Override
  public final long progressCount() {
    return core.status.progressCount();
  }

  @Override
  public final long awaitProgress(long seen, Duration timeout) {
    return wait.awaitProgress(seen, timeout);
  }

  @Override
  public final void detach(long request) {
    polls.detach(request);
  }

  @Override
  public final long peerSilenceNs() {
    if (state() != ChannelState.READY) {
      // Who closes it may have the lock for as long as the driver takes.
      return SILENCE_UNKNOWN;
    }
    core.lock.lock();
    try {
      return core.peerSilenceNs();
    } finally {
      core.lock.unlock();
    }
  }

  @Override
  public final TransportException failure() {
    // In this order: one that breaks in between has its failure, and is not taken for closed.
    boolean isReady = core.status.isReady();
    TransportException why = core.status.failure();
    if (why == null && !isReady) {
      return ChannelFailures.closed(core.route);
    }
    if (why == null) {
      throw new IllegalStateException(
          core.route + ": this channel has not failed; failure(request) says why a request did");
    }
    return why.copy();
  }

  @Override
  public final TransportException failure(long request) {
    if (request == FAILED) {
      return failure();
    }
    core.lock.lock();
    try {
      return core.requests.failureOf(request).copy();
    } finally {
      core.lock.unlock();
    }
  }

  @Override
  public final Map<Counter, Long> counts() {
    Map<Counter, Long> all = core.requests.counts().toMap();
    if (isSending() && isReceiving()) {
      core.requests
          .receivedCounts()
          .toMap()
          .forEach((what, more) -> all.merge(what, more, Long::sum));
    }
    return all;
  }

  /** Of sends, as {@link SendChannel#latencies}; a receiving end has none. */
  public final Latencies latencies() {
    return latencies.read();
  }

  /** Heap that the latencies take, in bytes. */
  public final int latencyBytes() {
    return latencies.footprintBytes();
  }

  private boolean isSending() {
    return this instanceof SendChannel;
  }

  private boolean isReceiving() {
    return this instanceof ReceiveChannel;
  }

  /** Counts it with what goes to and from the same peer, from now on. */
  final void beginTraffic() {
    traffic.addRequests(outstanding);
    if (isSending()) {
      traffic.add(core.requests.counts(), true);
    }
    if (isReceiving()) {
      traffic.add(core.requests.receivedCounts(), false);
    }
  }

  /** It is closed: what it has counted stays. */
  final void endTraffic() {
    traffic.removeRequests(outstanding);
    if (isSending()) {
      traffic.remove(core.requests.counts(), true);
    }
    if (isReceiving()) {
      traffic.remove(core.requests.receivedCounts(), false);
    }
  }

  /** What the log says when it is ready. */
  public final String readyLine() {
    return core.route
        + nameText()
        + " in "
        + TimeUnit.NANOSECONDS.toMillis(core.route.handshakeNs())
        + " ms";
  }

  /** Its route, its state, and how many requests are outstanding. Any thread. */
  @Override
  public final String toString() {
    return kindText()
        + core.route
        + nameText()
        + ": "
        + state()
        + ", "
        + core.requests.outstanding()
        + " requests outstanding";
  }

  private String nameText() {
    return this instanceof Connection named && !named.name().isEmpty()
        ? " (" + named.name() + ")"
        : "";
  }

  private String kindText() {
    if (isSending() && isReceiving()) {
      return "Connection to ";
    }
    return isSending() ? "SendChannel to " : "ReceiveChannel from ";
  }

  @Override
  public final void close() {
    closeAll(List.of(this));
  }

  @Override
  public final CompletionStage<Void> closeAsync() {
    return closeStage.get(
        () -> state() == ChannelState.CLOSED, () -> ChannelClosing.beginInBackground(this));
  }

  /** It is closed. */
  final void closeEnded() {
    closeStage.closed();
  }

  /** Closes several at once: each sends GOODBYE before any waits for the acknowledgement. */
  public static void closeAll(List<? extends MeshChannel> channels) {
    ChannelClosing.closeAll(channels);
  }

  /** Closes it from a thread that must not wait: soon, on the set-up thread. */
  public final void abandon() {
    context.executor().execute(this::close);
  }

  /** Does something with each endpoint that there is or was and that has not been discarded. */
  final void eachEndpoint(Consumer<VerbsEndpoint> action) {
    core.endpoints().forEach(action);
  }

  /** Which of this process's channels it is, ascending from 1. */
  public final long number() {
    return number;
  }

  /**
   * Reads what is pending, for those who watch the channel. Any thread; takes the lock for less
   * than a microsecond, and waits for it a bounded time.
   *
   * @param nowNs on the clock of System.nanoTime
   * @param more reads what else the lock guards; not called if the channel was busy for too long
   */
  public final PendingRequests readPending(long nowNs, Runnable more) {
    if (!lockToWatch()) {
      return PendingRequests.UNKNOWN;
    }
    try {
      more.run();
      int pending = core.requests.pending();
      int ended = core.requests.outstanding() - pending;
      return new PendingRequests(pending, ended, pendingWatch.note(core.requests, nowNs));
    } finally {
      core.lock.unlock();
    }
  }

  private boolean lockToWatch() {
    try {
      return core.lock.tryLock(WATCHING_WAITS_MS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /**
   * Notes which request is the oldest, so that its age is known when it is read; does nothing if
   * the channel is in use just now.
   *
   * @param nowNs on the clock of System.nanoTime
   */
  final void notePending(long nowNs) {
    if (core.lock.tryLock()) {
      try {
        pendingWatch.note(core.requests, nowNs);
      } finally {
        core.lock.unlock();
      }
    }
  }

  /**
   * Polls for a program that does not. Never waits for the channel's lock: the thread that has it
   * polls.
   *
   * @return whether anything is left that only a poll moves along
   */
  public final boolean progressUnpolled() {
    if (!core.lock.tryLock()) {
      return true;
    }
    try {
      return core.progressUnpolled();
    } finally {
      core.lock.unlock();
    }
  }

  /**
   * Whether it can be used, for one that waits to be accepted: its peer may have gone meanwhile.
   */
  public final boolean isUsable() {
    core.lock.lock();
    try {
      core.progress();
      core.clock.checkUnused(System.nanoTime());
      return core.status.isReady();
    } finally {
      core.lock.unlock();
    }
  }

  /** The peer's node is gone, as others know: breaks, and wakes a thread that waits here. */
  final void nodeGone(String evidence) {
    core.lock.lock();
    try {
      if (core.status.isLive()) {
        core.shutdown.breakWith(ChannelFailures.nodeGone(core.route.toString(), evidence));
        eachEndpoint(endpoint -> endpoint.events().wakeUp());
      }
    } finally {
      core.lock.unlock();
    }
  }

  /** The cable at an interface is cut: what can go on over others does so at once. */
  final void cableCut(int interfaceIndex, String evidence) {
    core.lock.lock();
    try {
      if (core.status.isLive()) {
        core.endpoints().cableCut(interfaceIndex, ChannelFailures.cableCut(core.route, evidence));
        core.progress();
        eachEndpoint(endpoint -> endpoint.events().wakeUp());
      }
    } finally {
      core.lock.unlock();
    }
  }

  /**
   * A NIC is about to go, and still works. A channel that has nothing else breaks, and tells its
   * peer first, so that the peer need not guess.
   *
   * @return whether the peer's device has yet to acknowledge that
   */
  final boolean nicLeaves(OpenNic nic, String why) {
    core.lock.lock();
    try {
      if (core.status.isLive() && isAllOn(nic)) {
        core.shutdown.failWith(
            ChannelFailures.nicGone(core.route, nic.nic().label(), why), Goodbye.CLOSED);
        core.progress();
      }
      return core.status.isLive() && isAllOn(nic);
    } finally {
      core.lock.unlock();
    }
  }

  private boolean isAllOn(OpenNic nic) {
    boolean[] isAny = {false, false};
    eachEndpoint(endpoint -> isAny[endpoint.nic() == nic ? 0 : 1] = true);
    return isAny[0] && !isAny[1];
  }

  /**
   * A NIC is gone from this host: what goes over it ends, and a thread that waits there is woken.
   * Called again until nothing uses the NIC any more, for its host may wait for that: what a
   * channel has there is removed though no caller tests the channel.
   */
  public final void nicGone(OpenNic nic, String why) {
    core.lock.lock();
    try {
      List<VerbsEndpoint> there = new ArrayList<>();
      eachEndpoint(
          endpoint -> {
            if (endpoint.nic() == nic) {
              there.add(endpoint);
            }
          });
      for (VerbsEndpoint endpoint : there) {
        if (core.status.isLive()) {
          core.endpointFailed(
              endpoint, ChannelFailures.nicGone(core.route, nic.nic().label(), why));
        }
      }
      if (!there.isEmpty() && core.status.isLive()) {
        core.progress();
      }
      if (state() == ChannelState.FAILED) {
        there.forEach(VerbsEndpoint::discard);
      }
      if (!there.isEmpty() && state() != ChannelState.CLOSED) {
        eachEndpoint(endpoint -> endpoint.events().wakeUp());
      }
    } finally {
      core.lock.unlock();
    }
  }
}
