// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import io.meshtransport.spi.ChannelState;
import io.meshtransport.spi.Counter;
import io.meshtransport.spi.Route;
import io.meshtransport.spi.TransportException;
import io.meshtransport.verbs.CompletionStatus;
import io.meshtransport.verbs.Completions;
import io.meshtransport.verbs.VerbsException;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * What happens on the line of one channel, at either end and whatever is said on it: completions,
 * deadlines, a silent peer, and breaking. The base of {@link MeshChannel}, which adds what callers
 * see.
 *
 * <p>Nothing below READY is here: it is made when its link is connected. In READY and DRAINING
 * whoever calls {@link #progress} moves everything along; no thread of ours does. Guarded by {@link
 * #lock}.
 */
abstract class ChannelTraffic {
  /**
   * How long an end that breaks by its own decision waits until the peer's device has been told
   * why. A living one answers in a round trip; the wait is added to the deadline that has passed.
   */
  private static final long PARTING_NS = 100_000_000;

  final Route route;

  /** The line that words go over; a channel of several changes it when it is lost. */
  VerbsEndpoint line;

  final Requests requests = new Requests();
  final ReentrantLock lock = new ReentrantLock();
  private final ChannelLifeCycle life;
  private final Liveness pulse;

  /** Of queue pairs that may still be there, though their traffic ended. */
  private final Set<Teardown.Removal> unstopped = new HashSet<>(0);

  private CloseState departure = CloseState.STAYING;

  /** Why this end is about to break, while the peer is being told; or null. */
  private TransportException parting;

  private long partingUntilNs;
  private TransportException broken;
  private volatile long moves;
  private volatile TransportException lastFailure;

  ChannelTraffic(ChannelLifeCycle life, VerbsEndpoint line, Route route, ChannelTiming timing) {
    this.life = life;
    this.line = line;
    this.route = route;
    this.pulse = new Liveness(timing.silenceNs());
  }

  /** A work request of this channel's own is complete, on one of its lines. */
  abstract void ended(VerbsEndpoint from, int kind, int index, Completions batch, int position);

  /** All of a batch has ended: do at once what each of them would have done by itself. */
  void batchEnded(VerbsEndpoint from) {
    // Most ends have nothing to gather.
  }

  /**
   * Says goodbye, on closing behind everything that is under way, so that its arrival means that
   * everything arrived; {@link #goodbyeArrived} ends the wait for it.
   *
   * @return false if there is nobody to say it to, or no word for it
   */
  abstract boolean sayGoodbye(Goodbye goodbye);

  /** A pending request's deadline has passed: end it, or break the channel. */
  abstract void overdue(int slot);

  /** The link has stopped: end what has all it needs, though its acknowledgement had not come. */
  abstract void settle();

  /** Closing begins: fail what the device knows nothing of. */
  abstract void withdraw(TransportException why);

  final ChannelState currentState() {
    return life.state();
  }

  final boolean ready() {
    return life.state() == ChannelState.READY;
  }

  final boolean live() {
    ChannelState now = life.state();
    return now == ChannelState.READY || now == ChannelState.DRAINING;
  }

  /**
   * Takes one batch of what completed; looks at the clock when there was nothing, and now and then
   * when there always is something.
   *
   * @return how many completions it took
   */
  int progress() {
    if (!live()) {
      return 0;
    }
    int count = take(line);
    if (pulse.polled(count)) {
      lookAtClock();
    }
    return count;
  }

  /** Takes one batch of what completed on a line; answers how many. */
  final int take(VerbsEndpoint from) {
    int count = from.poll();
    if (count < 0) {
      lineFailed(from, ChannelFailures.poll(route, -count));
      return 0;
    }
    requests.counts().add(Counter.POLLS, 1);
    if (count > 0) {
      moved(count);
    } else {
      requests.counts().add(Counter.EMPTY_POLLS, 1);
    }
    Completions batch = from.completions();
    for (int position = 0; position < count && live(); position++) {
      dispatch(from, batch, position);
    }
    if (count > 0 && live()) {
      batchEnded(from);
    }
    return count;
  }

  private void dispatch(VerbsEndpoint from, Completions batch, int position) {
    long id = batch.id(position);
    int kind = WorkRequestId.kind(id);
    int index = WorkRequestId.index(id);
    CompletionStatus status = batch.status(position);
    if (status != CompletionStatus.SUCCESS) {
      requestFailed(from, kind, failure(from, kind, index, status, batch.vendorError(position)));
    } else if (kind == WorkRequestId.KEEPALIVE) {
      answered(from);
    } else {
      ended(from, kind, index, batch, position);
    }
  }

  /** A work request failed, and with it the line it was on. */
  void requestFailed(VerbsEndpoint from, int kind, TransportException why) {
    lineFailed(from, why);
  }

  /** A line can do no more: the end of a channel that has no other. */
  void lineFailed(VerbsEndpoint from, TransportException why) {
    breakWith(why);
  }

  /** The peer has answered on a line whether it is there. */
  void answered(VerbsEndpoint from) {
    pulse.answered();
  }

  /** What it means that a work request failed. */
  TransportException failure(
      VerbsEndpoint from, int kind, int index, CompletionStatus status, int vendorError) {
    String evidence = from.nic().device().vendorErrorText(vendorError);
    return ChannelFailures.completion(
        route, WorkRequestId.describe(kind), status, vendorError, evidence);
  }

  private void lookAtClock() {
    long nowNs = System.nanoTime();
    // While draining nobody is owed a deadline, and the goodbye must not be cut short by one.
    if (parting != null && ready() && nowNs - partingUntilNs >= 0) {
      breakWith(parting);
    }
    int late = ready() && parting == null ? requests.overdue(nowNs) : -1;
    if (late >= 0) {
      overdue(late);
      moved(1);
    }
    if (pulse.mustAsk(nowNs) && ready() && requests.anyPending()) {
      pulse.asked();
      ask(nowNs);
    }
    if (live()) {
      endLinesWithoutCarrier(nowNs);
    }
  }

  /** Ends each line on which a question has no answer and whose port has been without a carrier. */
  void endLinesWithoutCarrier(long nowNs) {
    if (pulse.isAsked()) {
      endIfWithoutCarrier(line, nowNs);
    }
  }

  /**
   * Ends a line whose port has lacked a carrier for longer than its queue pair may try: an adapter
   * has reported it by then. Soft-RoCE may not: on kernel 6.1 a queue pair under load whose
   * interface was set down neither sent a packet nor counted a retry nor failed for a minute.
   */
  final void endIfWithoutCarrier(VerbsEndpoint tried, long nowNs) {
    long withoutNs = tried.nic().withoutCarrierNs(nowNs);
    if (withoutNs > tried.triesForNs()) {
      lineFailed(
          tried, ChannelFailures.withoutCarrier(route, tried.nic().nic().netdev(), withoutNs));
    }
  }

  /** As {@link #progress}, for an end that nobody uses yet: asks a silent peer all the same. */
  final void lookWithoutRequests() {
    progress();
    if (pulse.mustAsk(System.nanoTime()) && ready()) {
      pulse.asked();
      ask(System.nanoTime());
    }
  }

  /** A silence is the time to hear what the device itself has to say, too. */
  private void ask(long nowNs) {
    DeviceEvents events = line.nic().events();
    events.look(nowNs);
    if (events.isDeviceLost()) {
      lineFailed(line, ChannelFailures.deviceLost(route));
    } else {
      requests.counts().add(Counter.KEEPALIVES_SENT, 1);
      askWhetherAlive();
    }
  }

  /** Asks the peer whether it is there. */
  void askWhetherAlive() {
    check(line.ask(WorkRequestId.KEEPALIVE), "a keepalive");
  }

  /** Gives up the line that words go over if a post on it was refused. */
  final void check(int errno, String what) {
    check(line, errno, what);
  }

  /** Gives up a line if a post on it was refused. */
  final void check(VerbsEndpoint on, int errno, String what) {
    if (errno != 0) {
      lineFailed(on, ChannelFailures.post(route, what, errno));
    }
  }

  /**
   * Breaks for a reason that only this end knows, a deadline of its own for example: tells the peer
   * first and waits a bounded time until its device has the message, so that the peer need not
   * guess. Requests end meanwhile as they would otherwise; none begins.
   */
  final void partWith(TransportException reason, Goodbye goodbye) {
    if (!ready() || parting != null) {
      return;
    }
    parting = reason;
    partingUntilNs = System.nanoTime() + PARTING_NS;
    if (!sayGoodbye(goodbye)) {
      breakWith(reason);
    }
  }

  /** Nanoseconds until a deadline passes here, at most the given number. */
  final long untilDeadlineNs(long nowNs, long atMostNs) {
    return parting != null && ready()
        ? Math.min(atMostNs, Math.max(0, partingUntilNs - nowNs))
        : requests.untilDeadlineNs(nowNs, atMostNs);
  }

  /**
   * The one way to FAILED: nothing is sent or received any more, everything pending fails with this
   * reason, and with what the device has reported lately. The queue pair is gone before any memory
   * goes back to its owner.
   */
  final void breakWith(TransportException reason) {
    if (life.state() == ChannelState.DRAINING) {
      // Closing asks no more than that the link be quiet, and now it is.
      departure = CloseState.QUIET;
      return;
    }
    if (life.state() != ChannelState.READY) {
      return;
    }
    TransportException why = withEvents(parting == null ? reason : parting);
    broken = why;
    lastFailure = why;
    stopLines(why);
    settle();
    requests.failAll(why);
    moved(1);
    life.broke(why);
  }

  private TransportException withEvents(TransportException why) {
    if (why.reason() == TransportException.Reason.PEER_CLOSED) {
      return why;
    }
    DeviceEvents events = line.nic().events();
    long nowNs = System.nanoTime();
    events.look(nowNs);
    return ChannelFailures.withEvents(why, events.since(nowNs, line.number()));
  }

  /**
   * Whether a new request may begin; if not, the next {@link #lastFailure} says why.
   *
   * @throws IllegalStateException after close
   */
  final boolean mayBegin() {
    return switch (life.state()) {
      case READY -> {
        if (parting != null) {
          lastFailure = parting;
        }
        yield parting == null;
      }
      case FAILED -> {
        lastFailure = broken;
        yield false;
      }
      default -> throw new IllegalStateException(route + ": this channel is closed");
    };
  }

  final void failedWith(TransportException why) {
    lastFailure = why;
  }

  /** How much has happened here so far. Any thread. */
  final long movesSoFar() {
    return moves;
  }

  /** Written under the lock only, read by anybody. */
  @SuppressWarnings("NonAtomicOperationOnVolatileField")
  private void moved(int times) {
    moves += times;
  }

  /** The latest failure that a caller was told of, or null. Any thread. */
  final TransportException lastFailure() {
    return lastFailure;
  }

  /** Stops everything that still runs. */
  void stopLines(Exception context) {
    stop(line, context);
  }

  /**
   * Stops one line.
   *
   * @return false if the device refuses, and nobody knows what it still does
   */
  final boolean stop(VerbsEndpoint stopped, Exception context) {
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
  final boolean stopOrBegin(VerbsEndpoint stopped, Exception context) {
    return stop(stopped, context) || !stopped.stop(context).hasFailed();
  }

  /** On a thread of the teardown: a driver that took long is done. */
  private void stoppedLate(Teardown.Removal removal) {
    lock.lock();
    try {
      unstopped.remove(removal);
      if (unstopped.isEmpty()) {
        requests.giveKeptMemoryBack();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Does something with each line there is or was. */
  void eachLine(Consumer<VerbsEndpoint> what) {
    what.accept(line);
  }

  /**
   * Begins to close: nothing new, and goodbye.
   *
   * @return false if somebody else is closing this channel
   */
  final boolean leave() {
    if (departure != CloseState.STAYING) {
      return false;
    }
    if (life.state() == ChannelState.FAILED) {
      departure = CloseState.QUIET;
      return true;
    }
    life.become(ChannelState.DRAINING, route::toString);
    withdraw(ChannelFailures.closed(route));
    boolean isSaid = parting != null || sayGoodbye(Goodbye.CLOSED);
    departure = isSaid ? CloseState.SAYING_GOODBYE : CloseState.QUIET;
    return true;
  }

  /** The peer has taken note. */
  final void goodbyeArrived() {
    if (parting != null && ready()) {
      breakWith(parting);
    } else {
      departure = CloseState.QUIET;
    }
  }

  /** Moves along, and tells whether the peer has yet to take note of the goodbye. */
  final boolean stillLeaving() {
    progress();
    return departure == CloseState.SAYING_GOODBYE;
  }

  /** Ends everything: what is outstanding fails with CLOSED, and nothing of the link is left. */
  final void end() {
    TransportException why = ChannelFailures.closed(route);
    if (life.state() != ChannelState.FAILED) {
      stopLines(why);
    }
    requests.failAll(why);
    moved(1);
    requests.endAll();
    eachLine(VerbsEndpoint::discard);
    life.become(ChannelState.CLOSED, route::toString);
  }
}
