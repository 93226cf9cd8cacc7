// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.channel;

import io.meshtransport.spi.Channel;
import io.meshtransport.spi.ChannelState;
import io.meshtransport.spi.CompletionKind;
import io.meshtransport.spi.Completions;
import io.meshtransport.spi.Connection;
import io.meshtransport.spi.Counter;
import io.meshtransport.spi.Route;
import io.meshtransport.spi.SendChannel;
import io.meshtransport.spi.TransportException;
import io.meshtransport.transport.device.DeviceEvents;
import io.meshtransport.transport.device.Teardown;
import io.meshtransport.transport.endpoint.VerbsEndpoint;
import io.meshtransport.transport.endpoint.WorkRequestId;
import io.meshtransport.verbs.CompletionStatus;
import io.meshtransport.verbs.VerbsException;
import io.meshtransport.verbs.WorkCompletions;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * What every channel has, whatever its wire, its direction and the number of its endpoints: state,
 * lock, requests, progress, deadlines, liveness and breaking. The wire is behind {@link
 * EndpointEvents}, the endpoints behind {@link ChannelEndpoints}.
 *
 * <p>It exists from the moment that the endpoint is connected, so nothing below READY is here. In
 * READY and DRAINING {@link #progress} does all the work, on the thread that calls it; no thread of
 * ours does. Confined to {@link #lock}, except what says that any thread may call it.
 */
public final class ChannelCore {
  /**
   * How long an end that breaks by its own decision waits until the peer's device has the reason. A
   * living one answers in a round trip; the wait is added to the deadline that has passed.
   */
  private static final long FAILING_NS = 100_000_000;

  public final Route route;
  public final Requests requests;
  public final ReentrantLock lock = new ReentrantLock();

  /** What the peer has given notice of, until it is polled. */
  public final NoticeQueue notices = new NoticeQueue();

  /** What has come into multi-receives, until a poller reports it. */
  public final MessageQueue messages = new MessageQueue();

  final ChannelTiming timing;
  private final ChannelLifeCycle life;
  private final Liveness liveness;

  /** Of queue pairs that may still be there, though their traffic ended. */
  private final Set<Teardown.Removal> unstopped = new HashSet<>(0);

  /** The endpoint that control messages use; a channel of several changes it when it is lost. */
  private VerbsEndpoint primary;

  private final Consumer<VerbsEndpoint> arming = this::arm;
  private ChannelEndpoints endpoints;
  private EndpointEvents events;
  private CloseState closeState = CloseState.OPEN;

  /** Why this end is about to break, in FAILING, or was when it was closed; else null. */
  private volatile TransportException failing;

  private long failingUntilNs;
  private volatile TransportException broken;
  private volatile ChannelAttendant attendant = ChannelAttendant.NONE;

  /** Whether the attendant knows that something waits for progress. */
  private boolean isDeferralKnown;

  /** Whether a thread of the program is parked here. */
  private volatile boolean isAwaited;

  private volatile long progressCount;

  /** Whether anything came from the peer's program, or got to it. */
  private boolean isUsed;

  /**
   * @param maxRequests outstanding at once
   */
  ChannelCore(
      ChannelLifeCycle life,
      VerbsEndpoint primary,
      Route route,
      ChannelTiming timing,
      int maxRequests) {
    this.life = life;
    this.requests = new Requests(maxRequests);
    this.primary = primary;
    this.route = route;
    this.timing = timing;
    this.liveness = new Liveness(timing.silenceNs());
  }

  /** Connects the parts, once, before anything else. */
  public void attach(ChannelEndpoints channelEndpoints, EndpointEvents endpointEvents) {
    endpoints = channelEndpoints;
    events = endpointEvents;
  }

  public ChannelTiming timing() {
    return timing;
  }

  public ChannelEndpoints endpoints() {
    return endpoints;
  }

  public VerbsEndpoint primary() {
    return primary;
  }

  /** From now on control messages use another endpoint. */
  public void switchPrimary(VerbsEndpoint next) {
    primary = next;
  }

  /** Sets the first attendant, before anything happens here. */
  void follow(ChannelAttendant first) {
    attendant = first;
    requests.attend(first);
  }

  /** From now on another one follows what happens here. */
  public void attend(ChannelAttendant next) {
    attendant.replaced();
    messages.clear();
    attendant = next;
    requests.attend(next);
    isDeferralKnown = false;
    if (life.state() == ChannelState.FAILED) {
      next.over(broken);
    } else if (needsProgress() || answersPeer()) {
      deferred();
    }
  }

  /**
   * Checks that a poller may have it.
   *
   * @throws IllegalStateException if another has it, it has requests, or it is closed
   */
  public void requireUnpolled() {
    requireNoPoller();
    if (!isReady() && life.state() != ChannelState.FAILED || requests.outstanding() > 0) {
      throw new IllegalStateException(
          route
              + ": only a connection that is not closed and has no requests can be added to a poller; this one is "
              + state()
              + " and has "
              + requests.outstanding());
    }
  }

  /** Whether a poller has it. Any thread. */
  boolean isPolled() {
    return attendant.isPoller();
  }

  private void requireNoPoller() {
    if (isPolled()) {
      throw new IllegalStateException(
          route + ": this connection is at a poller, which reports the ends of its requests");
    }
  }

  /**
   * A notice of the peer's has come, for which there is space.
   *
   * @param kind NOTICE or UNEXPECTED
   * @param number the program's of a put, or the tag of a message
   */
  public void noticeReceived(CompletionKind kind, int number, long lengthBytes) {
    notices.add(kind, number, lengthBytes);
    attendant.noticed();
  }

  /** A message has come into the multi-receive of a slot. */
  public void messageReceived(int slot, long offsetBytes, long lengthBytes) {
    if (attendant.isPoller()) {
      messages.add(slot, offsetBytes, lengthBytes);
      attendant.messageReceived();
    }
  }

  /** The program has polled notices: there is space for more. */
  public void noticesPolled() {
    if (isReady()) {
      events.noticesPolled();
    }
  }

  /** As {@link Connection#pollNotices}. Acquires the lock. */
  public int pollNotices(Connection connection, Completions into) {
    lock.lock();
    try {
      requireNoPoller();
      into.clear();
      if (notices.size() == 0) {
        progress();
      }
      while (notices.size() > 0 && !into.isFull()) {
        notices.pollInto(into, connection);
      }
      if (into.count() > 0) {
        noticesPolled();
      }
      return into.count();
    } finally {
      lock.unlock();
    }
  }

  /** Something waits that only {@link #progress} moves along: others may have to call that. */
  public void deferred() {
    if (!isDeferralKnown) {
      isDeferralKnown = true;
      attendant.deferred();
    }
  }

  /** It is READY, and known to its transport. */
  void opened() {
    if (isReady()) {
      events.opened();
    }
    if (answersPeer()) {
      deferred();
    }
  }

  /** As {@link EndpointEvents#answersPeer}, as long as there is a peer. */
  public boolean answersPeer() {
    return isLive() && events.answersPeer();
  }

  /** Whether something waits that only {@link #progress} moves along. */
  public boolean needsProgress() {
    return isLive() && (failing != null || events.needsProgress());
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
    while (count > 0 && isLive()) {
      count = progress();
    }
    isDeferralKnown = needsProgress();
    return isDeferralKnown;
  }

  /** Whether a thread of the program is parked here. Any thread. */
  public boolean isAwaited() {
    return isAwaited;
  }

  /** A thread of the program parks here, or has parked. */
  void awaited(boolean nowAwaited) {
    isAwaited = nowAwaited;
  }

  /** As {@link EndpointEvents#awaitsReport}. */
  public boolean awaitsReport() {
    return isLive() && events.awaitsReport();
  }

  /** As {@link EndpointEvents#requestReport}. */
  public void requestReport() {
    if (isLive()) {
      events.requestReport();
    }
  }

  /** The state that callers see. Any thread. */
  public ChannelState state() {
    return life.state();
  }

  /** Whether requests may begin. Any thread. */
  public boolean isReady() {
    return life.state() == ChannelState.READY;
  }

  /** Whether there is something to poll. Any thread. */
  public boolean isLive() {
    ChannelState now = life.state();
    return now == ChannelState.READY || now == ChannelState.DRAINING;
  }

  /**
   * Whether a new request may begin; if not, {@link MeshChannel#failure} says why. After close it
   * may not: another thread may have closed it a moment ago.
   */
  public boolean mayBegin() {
    return isReady() && failing == null;
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
      attendant.begun(nowNs + timeoutNs);
      slot = requests.begin(nowNs, timeoutNs);
    }
    requests.describe(slot, kind, userData);
    return slot;
  }

  /** As {@link Channel#test(long, long[])}. Takes the lock. */
  long test(long request, long[] lengthsBytes) {
    lock.lock();
    try {
      requireNoPoller();
      int slot = progressFor(request, lengthsBytes);
      long outcome = requests.outcome(slot);
      if (outcome == Channel.PENDING) {
        events.queried(slot);
        return Channel.PENDING;
      }
      if (outcome != Channel.FAILED && lengthsBytes != null) {
        events.lengths(slot, lengthsBytes);
      }
      requests.end(slot);
      return outcome;
    } finally {
      lock.unlock();
    }
  }

  /** The slot of a request; progresses the channel if the request is pending. */
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

  /** As {@link Channel#detach}. Takes the lock. */
  void detach(long request) {
    lock.lock();
    try {
      requireNoPoller();
      int slot = requests.slot(request);
      if (requests.outcome(slot) == Channel.PENDING) {
        events.queried(slot);
      }
      requests.detach(slot);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Polls each endpoint once and does what follows from it; reads the clock when the primary had
   * nothing, and now and then when it always has something.
   *
   * @return how many completions there were
   */
  public int progress() {
    if (!isLive()) {
      return 0;
    }
    int count = poll(primary);
    if (liveness.polled(count)) {
      checkClock();
    }
    return count + endpoints.pollOthers();
  }

  /** Requests an event of each endpoint for its next completion. */
  public void armAll() {
    endpoints.forEach(arming);
    endpoints.allArmed();
  }

  /**
   * An endpoint has joined those that there are: one who sleeps until an event is to hear of it,
   * and what has come there already raises none.
   */
  public void endpointJoined(VerbsEndpoint endpoint) {
    attendant.joined(endpoint);
    arm(endpoint);
    int count;
    do {
      count = poll(endpoint);
    } while (count > 0 && isLive());
  }

  private void arm(VerbsEndpoint endpoint) {
    check(endpoint, isLive() ? endpoint.arm() : 0, "a request for an event");
  }

  /** Polls one batch of completions of an endpoint and dispatches them; returns how many. */
  public int poll(VerbsEndpoint from) {
    int count = from.poll();
    if (count < 0) {
      endpointFailed(from, ChannelFailures.poll(route, -count));
      return 0;
    }
    requests.counts().add(Counter.POLLS, 1);
    if (count > 0) {
      progressed(count);
    } else {
      requests.counts().add(Counter.EMPTY_POLLS, 1);
    }
    WorkCompletions batch = from.completions();
    for (int position = 0; position < count && isLive(); position++) {
      dispatch(from, batch, position);
    }
    if (count > 0 && isLive()) {
      events.batchCompleted(from);
    }
    return count;
  }

  private void dispatch(VerbsEndpoint from, WorkCompletions batch, int position) {
    long id = batch.id(position);
    int kind = WorkRequestId.kind(id);
    int index = WorkRequestId.index(id);
    CompletionStatus status = batch.status(position);
    if (status != CompletionStatus.SUCCESS) {
      requestFailed(from, kind, index, status, batch.vendorError(position));
      return;
    }
    // The peer's device has a control message even if its program has given the channel up.
    isUsed |= kind != WorkRequestId.CONTROL;
    if (kind == WorkRequestId.KEEPALIVE) {
      endpoints.keepaliveAnswered(from);
      liveness.answered();
    } else {
      events.completed(from, kind, index, batch, position);
    }
  }

  private void requestFailed(
      VerbsEndpoint from, int kind, int index, CompletionStatus status, int vendorError) {
    String evidence = from.nic().device().vendorErrorText(vendorError);
    TransportException why =
        ChannelFailures.completion(
            route, WorkRequestId.describe(kind), status, vendorError, evidence);
    endpoints.requestFailed(from, kind, events.failure(kind, index, status, why));
  }

  /** An endpoint can do no more. */
  public void endpointFailed(VerbsEndpoint from, TransportException why) {
    endpoints.endpointFailed(from, why);
  }

  /** Fails the primary if a post on it was refused. */
  public void check(int errno, String what) {
    check(primary, errno, what);
  }

  /** Fails an endpoint if a post on it was refused. */
  public void check(VerbsEndpoint on, int errno, String what) {
    if (errno != 0) {
      endpointFailed(on, ChannelFailures.post(route, what, errno));
    }
  }

  private void checkClock() {
    long nowNs = System.nanoTime();
    // While draining no deadline counts, and none must cut the GOODBYE short.
    if (failing != null && isReady() && nowNs - failingUntilNs >= 0) {
      breakWith(failing);
    }
    int late = isReady() && failing == null ? requests.overdue(nowNs) : -1;
    if (late >= 0) {
      events.deadlinePassed(late);
      progressed(1);
    }
    if (liveness.mustProbe(nowNs) && isReady() && requests.anyPending()) {
      probe(nowNs);
    }
    if (isLive()) {
      endpoints.failWithoutCarrier(nowNs);
    }
  }

  /**
   * As {@link #progress}, for a channel that is not in use yet: probes a silent peer all the same.
   */
  void progressUnused() {
    progress();
    if (liveness.mustProbe(System.nanoTime()) && isReady()) {
      probe(System.nanoTime());
    }
  }

  /** A silence is the time to read what the device itself reports, too. */
  private void probe(long nowNs) {
    liveness.probed();
    DeviceEvents deviceEvents = primary.nic().events();
    deviceEvents.poll(nowNs);
    if (deviceEvents.isDeviceLost()) {
      endpointFailed(primary, ChannelFailures.deviceLost(route));
    } else {
      requests.counts().add(Counter.KEEPALIVES_SENT, 1);
      endpoints.sendKeepalives();
    }
  }

  /** Whether a keepalive is on its way and has no answer. */
  boolean isProbed() {
    return liveness.isProbed();
  }

  /**
   * Fails an endpoint whose port has lacked a carrier for longer than its queue pair may try: an
   * adapter has reported it by then. Soft-RoCE may not: on kernel 6.1 a queue pair under load whose
   * interface was set down neither sent a packet nor counted a retry nor failed for a minute.
   */
  public void failIfWithoutCarrier(VerbsEndpoint probed, long nowNs) {
    long withoutNs = probed.nic().withoutCarrierNs(nowNs);
    if (withoutNs > probed.triesForNs()) {
      endpointFailed(
          probed, ChannelFailures.withoutCarrier(route, probed.nic().nic().netdev(), withoutNs));
    }
  }

  /** As {@link ChannelEndpoints#cableCut}. */
  void cableCut(int interfaceIndex, TransportException why) {
    endpoints.cableCut(interfaceIndex, why);
  }

  /** Nanoseconds until a deadline passes here, at most the given number. */
  public long untilDeadlineNs(long nowNs, long atMostNs) {
    return failing != null && isReady()
        ? Math.min(atMostNs, Math.max(0, failingUntilNs - nowNs))
        : requests.untilDeadlineNs(nowNs, atMostNs);
  }

  /**
   * Breaks for a reason that only this end knows, a deadline of its own for example: sends the peer
   * the reason first and waits a bounded time until its device has it, so that the peer need not
   * guess. Requests end meanwhile as they would otherwise; none begins.
   */
  public void failWith(TransportException reason, Goodbye goodbye) {
    if (!isReady() || failing != null) {
      return;
    }
    failing = reason;
    failingUntilNs = System.nanoTime() + FAILING_NS;
    become(CloseState.FAILING);
    if (!events.sendGoodbye(goodbye)) {
      breakWith(reason);
    } else {
      deferred();
      attendant.begun(failingUntilNs);
    }
  }

  /**
   * The one way to FAILED: nothing is sent or received any more, everything pending fails with this
   * reason, and with what the device has reported lately. The queue pair is gone before any memory
   * goes back to its owner.
   */
  public void breakWith(TransportException reason) {
    if (life.state() == ChannelState.DRAINING) {
      // Closing needs no more than that no traffic is left, and now there is none.
      goodbyeOver();
      return;
    }
    if (life.state() != ChannelState.READY) {
      return;
    }
    TransportException why = withDeviceEvents(failing == null ? reason : failing);
    broken = why;
    endpoints.stop(why);
    events.stopped();
    requests.failAll(why);
    progressed(1);
    life.broke(why, isUsed);
    attendant.over(why);
  }

  private TransportException withDeviceEvents(TransportException why) {
    if (why.reason() == TransportException.Reason.PEER_CLOSED) {
      return why;
    }
    DeviceEvents deviceEvents = primary.nic().events();
    long nowNs = System.nanoTime();
    deviceEvents.poll(nowNs);
    return ChannelFailures.withEvents(why, deviceEvents.since(nowNs, primary.number()));
  }

  /**
   * Begins to close: nothing new, and GOODBYE.
   *
   * @return false if another thread closes this channel, or has
   */
  boolean beginClose() {
    if (closeState == CloseState.CLOSING || closeState == CloseState.CLOSED) {
      return false;
    }
    if (life.state() == ChannelState.FAILED) {
      become(CloseState.CLOSED);
      return true;
    }
    life.become(ChannelState.DRAINING, route::toString);
    events.closing(ChannelFailures.closed(route));
    boolean isSent = failing != null || events.sendGoodbye(Goodbye.CLOSED);
    if (closeState != CloseState.CLOSED) {
      become(isSent ? CloseState.CLOSING : CloseState.CLOSED);
    }
    return true;
  }

  /** The peer's device has the GOODBYE. */
  public void goodbyeDelivered() {
    if (failing != null && isReady()) {
      breakWith(failing);
    } else {
      goodbyeOver();
    }
  }

  private void goodbyeOver() {
    if (closeState != CloseState.CLOSED) {
      become(CloseState.CLOSED);
    }
  }

  /** Progresses, and says whether the peer's device has yet to acknowledge the GOODBYE. */
  boolean isClosing() {
    progress();
    return closeState == CloseState.CLOSING;
  }

  /** Ends everything: what is outstanding fails with CLOSED, and nothing of an endpoint is left. */
  void finishClose() {
    TransportException why = ChannelFailures.closed(route);
    if (life.state() != ChannelState.FAILED) {
      endpoints.stop(why);
    }
    requests.failAll(why);
    progressed(1);
    requests.endAll();
    endpoints.forEach(VerbsEndpoint::discard);
    life.become(ChannelState.CLOSED, route::toString);
    attendant.over(why);
  }

  private void become(CloseState next) {
    closeState = closeState.next(next, route);
  }

  /**
   * Stops one endpoint.
   *
   * @return false if the device refuses, and what it still does is unknown
   */
  public boolean stop(VerbsEndpoint stopped, Exception context) {
    Teardown.Removal removal = stopped.stop(context);
    try {
      removal.await();
      return true;
    } catch (VerbsException e) {
      if (unstopped.add(removal)) {
        // Better memory that stays registered than memory that changes by itself.
        context.addSuppressed(e);
        requests.keepMemory();
        removal.whenAway(() -> stoppedLate(removal));
      }
      return false;
    }
  }

  /** As {@link #stop}, where it does no harm that the driver is not done yet. */
  public boolean stopOrBegin(VerbsEndpoint stopped, Exception context) {
    return stop(stopped, context) || !stopped.stop(context).hasFailed();
  }

  /** On a thread of the teardown: a driver that took long is done. */
  private void stoppedLate(Teardown.Removal removal) {
    lock.lock();
    try {
      unstopped.remove(removal);
      if (unstopped.isEmpty()) {
        requests.releaseKeptMemory();
      }
    } finally {
      lock.unlock();
    }
  }

  /** How much has happened here so far. Any thread. */
  long progressCount() {
    return progressCount;
  }

  /** Written under the lock only. */
  @SuppressWarnings("NonAtomicOperationOnVolatileField")
  private void progressed(int times) {
    progressCount += times;
  }

  /** Why this channel has failed, or is about to; null if neither. Any thread. */
  TransportException failure() {
    TransportException over = broken;
    return over == null ? failing : over;
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
}
