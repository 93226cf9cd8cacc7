// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.channel;

import io.meshtransport.spi.Channel;
import io.meshtransport.spi.ChannelState;
import io.meshtransport.spi.CompletionKind;
import io.meshtransport.spi.Route;
import io.meshtransport.spi.SendChannel;
import io.meshtransport.spi.TransportException;
import io.meshtransport.time.WaitTimes;
import io.meshtransport.transport.endpoint.VerbsEndpoint;
import java.util.concurrent.locks.ReentrantLock;

/**
 * What every channel has, whatever its wire, its direction and the number of its endpoints: the
 * lock, the parts, and progress, which takes them in turn. The wire is behind {@link
 * EndpointEvents}, the endpoints behind {@link ChannelEndpoints}.
 *
 * <p>It exists from the moment that the endpoint is connected, so nothing below READY is here. In
 * READY and DRAINING {@link #progress} does all the work, on the thread that calls it; no thread of
 * ours does. Confined to {@link #lock}, as its parts are, except what says that any thread may call
 * it. Each part knows only those above it in this list.
 */
public final class ChannelCore {
  public final Route route;
  public final ReentrantLock lock = new ReentrantLock();
  public final Requests requests;
  public final CoreStatus status;

  /** Who else follows what happens here. */
  public final Attendance attendance;

  public final Arrivals arrivals;
  public final ChannelTeardown teardown;
  public final CompletionPolling polling;
  public final ChannelShutdown shutdown;
  public final ChannelClock clock;

  final WaitingThreads waiting;
  final ChannelTiming timing;
  private final Liveness liveness;
  private ChannelEndpoints endpoints;
  private EndpointEvents events;

  /**
   * @param maxRequests outstanding at once
   */
  ChannelCore(
      ChannelLifeCycle life,
      VerbsEndpoint primary,
      Route route,
      ChannelTiming timing,
      int maxRequests) {
    this.route = route;
    this.timing = timing;
    this.liveness = new Liveness(timing.silenceNs());
    this.waiting = new WaitingThreads(lock);
    this.requests = new Requests(maxRequests);
    requests.awaitedBy(waiting);
    this.status = new CoreStatus(life, waiting);
    this.attendance = new Attendance(route, requests);
    this.arrivals = new Arrivals(attendance);
    this.teardown = new ChannelTeardown(requests, lock);
    this.polling = new CompletionPolling(route, primary, status, attendance, requests, liveness);
    this.shutdown = new ChannelShutdown(route, life, status, attendance, requests, polling);
    this.clock = new ChannelClock(route, status, requests, liveness, polling, shutdown);
  }

  /** Connects the parts, once, before anything else. */
  public void attach(ChannelEndpoints channelEndpoints, EndpointEvents endpointEvents) {
    endpoints = channelEndpoints;
    events = endpointEvents;
    polling.attach(channelEndpoints, endpointEvents);
    shutdown.attach(channelEndpoints, endpointEvents);
    clock.attach(channelEndpoints, endpointEvents);
  }

  public ChannelTiming timing() {
    return timing;
  }

  public ChannelEndpoints endpoints() {
    return endpoints;
  }

  EndpointEvents events() {
    return events;
  }

  /** From now on another attendant follows what happens here. */
  public void attend(ChannelAttendant next) {
    attendance.replace(next);
    arrivals.messages.clear();
    if (status.state() == ChannelState.FAILED || status.state() == ChannelState.CLOSED) {
      TransportException why = status.failure();
      next.over(why == null ? ChannelFailures.closed(route) : why);
    } else if (needsProgress() || answersPeer()) {
      attendance.deferred();
    }
  }

  /**
   * Checks that a poller may have it. One that is closed may be there: any thread may have closed
   * it a moment ago.
   *
   * @throws IllegalStateException if another has it, or it has requests
   */
  public void requireUnpolled() {
    attendance.requireNoPoller();
    if (requests.outstanding() > 0) {
      throw new IllegalStateException(
          route
              + ": only a connection that has no requests can be added to a poller; this one has "
              + requests.outstanding());
    }
  }

  /** It is READY, and known to its transport. */
  void opened() {
    if (status.isReady()) {
      events.opened();
    }
    if (answersPeer()) {
      attendance.deferred();
    }
  }

  /** The program has polled notices: there is space for more. */
  public void noticesPolled() {
    if (status.isReady()) {
      events.noticesPolled();
    }
  }

  /** Whether a thread of the program is parked here, and polls soon. Any thread. */
  public boolean isAwaited() {
    return waiting.isParked();
  }

  /**
   * How long ago something came from the peer by any endpoint, as {@link Channel#peerSilenceNs}.
   */
  long peerSilenceNs() {
    long[] leastNs = {Channel.SILENCE_UNKNOWN};
    endpoints.forEach(endpoint -> leastNs[0] = least(leastNs[0], endpoint.silenceNs()));
    return leastNs[0];
  }

  private static long least(long oneNs, long otherNs) {
    return oneNs == Channel.SILENCE_UNKNOWN || otherNs == Channel.SILENCE_UNKNOWN
        ? Math.max(oneNs, otherNs)
        : Math.min(oneNs, otherNs);
  }

  /**
   * What a request fails with whose deadline passes now.
   *
   * @param timeoutNs of the request
   */
  public DeadlineFailures deadlineFailures(long timeoutNs) {
    return new DeadlineFailures(route, timeoutNs, peerSilenceNs(), timing.silenceNs());
  }

  /** As {@link EndpointEvents#answersPeer}, as long as there is a peer. */
  public boolean answersPeer() {
    return status.isLive() && events.answersPeer();
  }

  /** Whether something waits that only {@link #progress} moves along. */
  private boolean needsProgress() {
    return status.isLive() && (status.isFailing() || events.needsProgress());
  }

  /** As {@link EndpointEvents#awaitsReport}. */
  public boolean awaitsReport() {
    return status.isLive() && events.awaitsReport();
  }

  /** As {@link EndpointEvents#requestReport}. */
  public void requestReport() {
    if (status.isLive()) {
      events.requestReport();
    }
  }

  /**
   * Begins a request; the caller has made sure that there is a free slot, which this returns.
   *
   * @param kind what its end is reported as, if it succeeds
   * @param userData what its caller knows it by
   */
  public int begin(CompletionKind kind, long timeoutNs, long userData) {
    int slot;
    if (timeoutNs == SendChannel.NO_DEADLINE) {
      slot = requests.begin(0, SendChannel.NO_DEADLINE);
    } else {
      long nowNs = System.nanoTime();
      long boundedNs = WaitTimes.boundedNanos(timeoutNs);
      attendance.attendant().begun(nowNs + boundedNs);
      slot = requests.begin(nowNs, boundedNs);
    }
    requests.describe(slot, kind, userData);
    return slot;
  }

  /**
   * Begins a request that has failed already: something that it needs on this side is not there.
   *
   * @return its number
   */
  public long beginFailed(CompletionKind kind, TransportException why, long userData) {
    int slot = begin(kind, SendChannel.NO_DEADLINE, userData);
    long request = requests.number(slot);
    requests.fail(slot, why);
    return request;
  }

  /**
   * Polls each endpoint once and does what follows from it; reads the clock when the primary had
   * nothing, and now and then when it always has something.
   *
   * @return how many completions there were
   */
  public int progress() {
    if (!status.isLive()) {
      return 0;
    }
    int count = polling.poll(polling.primary());
    if (liveness.polled(count)) {
      clock.check(System.nanoTime());
    }
    return count + endpoints.pollOthers();
  }

  /**
   * Progresses, for a program that does not poll.
   *
   * @return whether something still waits; if not, the attendant hears of the next that does
   */
  public boolean progressUnpolled() {
    int count = progress();
    if (count > 0) {
      // A thread that waits for what was polled here must look for itself.
      endpoints.forEach(endpoint -> endpoint.events().wakeUp());
    }
    while (count > 0 && status.isLive()) {
      count = progress();
    }
    boolean isLeft = needsProgress();
    attendance.deferralSeen(isLeft);
    return isLeft;
  }

  /**
   * The slot of a request; progresses the channel if the request is pending.
   *
   * @throws IllegalArgumentException if the request has more lengths than there is space for
   */
  public int progressFor(long request, long[] lengthsBytes) {
    int slot = requests.slot(request);
    requireLength(slot, lengthsBytes);
    if (requests.outcome(slot) == Channel.PENDING) {
      progress();
    }
    return slot;
  }

  private void requireLength(int slot, long[] lengthsBytes) {
    if (lengthsBytes != null && lengthsBytes.length < requests.maxLengths(slot)) {
      throw new IllegalArgumentException(
          "space for "
              + lengthsBytes.length
              + " lengths, but the request has "
              + requests.maxLengths(slot));
    }
  }

  /** An endpoint can do no more. */
  public void endpointFailed(VerbsEndpoint from, TransportException why) {
    endpoints.endpointFailed(from, why);
  }

  /** Fails the primary if a post on it was refused. */
  public void check(int errno, String what) {
    check(polling.primary(), errno, what);
  }

  /** Fails an endpoint if a post on it was refused. */
  public void check(VerbsEndpoint on, int errno, String what) {
    if (errno != 0) {
      endpointFailed(on, ChannelFailures.post(route, what, errno));
    }
  }
}
