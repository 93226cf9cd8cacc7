// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.poll;

import io.meshtransport.spi.Channel;
import io.meshtransport.spi.CompletionKind;
import io.meshtransport.spi.Completions;
import io.meshtransport.spi.Connection;
import io.meshtransport.spi.TransportException;
import io.meshtransport.transport.channel.ChannelAttendant;
import io.meshtransport.transport.channel.ChannelCore;
import io.meshtransport.transport.channel.MeshChannel;
import io.meshtransport.transport.channel.Requests;
import io.meshtransport.transport.channel.SlotFifo;
import io.meshtransport.transport.endpoint.VerbsEndpoint;
import io.meshtransport.verbs.CompletionEvents;
import io.meshtransport.verbs.VerbsException;

/**
 * A connection at a {@link MeshPoller}. Confined to the poller's lock, except what says that it has
 * the channel's lock.
 */
final class PollerMember implements ChannelAttendant {
  /** Where the poller looks for what has completed on the connection. */
  enum State {
    /** Polled each time. */
    HOT,
    /** Polled the next time. */
    READY,
    /** Polled once its completion queue raises an event. */
    ARMED
  }

  /**
   * The pause before a connection that raises no event here is polled again. A message waits for it
   * no longer than it takes over a relay on a busy host, and the polls take some per cent of a
   * processor.
   */
  static final long UNHEARD_PAUSE_NS = 1_000_000;

  private final MeshPoller poller;
  private final MeshChannel channel;
  private final ChannelCore core;

  private final EventAttachment attachment;

  /** What is reported. */
  private final Connection connection;

  State state = State.READY;

  /** The next in the poller's queue of those that are READY. */
  PollerMember nextReady;

  /** Polls in a row that found nothing, while HOT. */
  int emptyPolls;

  /** What {@link MeshPoller} had counted when this one completed something last. */
  long lastActivity;

  /** In {@link #ends}: the oldest notice that was not reported. */
  private static final int NOTICE = -1;

  /** In {@link #ends}: the oldest message of a multi-receive that was not reported. */
  private static final int MESSAGE = -2;

  /**
   * Slots of requests that have ended, messages of multi-receives, and notices of the peer, oldest
   * first. With the channel's lock.
   */
  private final SlotFifo ends = new SlotFifo();

  /** Why the connection can do no more, until that is reported. With the channel's lock. */
  private TransportException over;

  private boolean isOver;

  /**
   * Whether unsignaled sends are under way, so that the poller has to request a report. Changed
   * with the channel's lock.
   */
  private volatile boolean isReportDue;

  /** The next in the poller's queue of those that have something to report; guarded by that. */
  PollerMember nextReporting;

  boolean isReporting;

  PollerMember(MeshPoller poller, MeshChannel channel, Connection connection) {
    this.poller = poller;
    this.channel = channel;
    this.core = channel.core;
    this.attachment = new EventAttachment(core, this);
    this.connection = connection;
  }

  Connection connection() {
    return connection;
  }

  /** With the channel's lock. One that has failed has no more events. */
  void attach(CompletionEvents events) throws VerbsException {
    if (core.status.isLive()) {
      attachment.attach(events);
    }
    // What came before there was a poller.
    for (int i = 0; i < core.arrivals.notices.size(); i++) {
      noticed();
    }
    if (core.awaitsReport()) {
      unsignaledPosted();
    }
  }

  /** Leaves the poller; does nothing once the connection is closed. */
  void detach() {
    core.lock.lock();
    try {
      attachment.detach();
      core.attend(channel.context().attendants().apply(channel));
    } finally {
      core.lock.unlock();
    }
  }

  /** Polls one batch; how many completions there were. */
  int poll() {
    core.lock.lock();
    try {
      return core.progress();
    } finally {
      core.lock.unlock();
    }
  }

  /**
   * Requests an event for the next completion, then polls what completed before.
   *
   * @return nanoseconds until it is to be polled again: {@link Watched#NEVER} if an event says
   *     when, 0 if there may be more, and a pause where there was nothing, and no event will come
   */
  long arm() {
    core.lock.lock();
    try {
      if (!core.status.isLive()) {
        return Watched.NEVER;
      }
      core.polling.armAll();
      int count = core.progress();
      if (attachment.isHeard()) {
        return count < VerbsEndpoint.BATCH ? Watched.NEVER : 0;
      }
      return count == 0 ? UNHEARD_PAUSE_NS : 0;
    } finally {
      core.lock.unlock();
    }
  }

  /**
   * Ends deadlines that have passed, and probes a silent peer.
   *
   * @return nanoseconds until this must be called again, at most the given number
   */
  long checkClock(long nowNs, long atMostNs) {
    core.lock.lock();
    try {
      core.progress();
      return core.status.isLive() ? core.clock.untilDeadlineNs(nowNs, atMostNs) : atMostNs;
    } finally {
      core.lock.unlock();
    }
  }

  /**
   * Requests a report of unsignaled sends that no later send covers: it costs as much as a message.
   */
  void requestReport() {
    if (!isReportDue) {
      return;
    }
    core.lock.lock();
    try {
      isReportDue = false;
      core.progress();
      core.requestReport();
    } finally {
      core.lock.unlock();
    }
  }

  boolean isLive() {
    return core.status.isLive();
  }

  /** Whether an event says when it is to be polled. */
  boolean isHeard() {
    core.lock.lock();
    try {
      return attachment.isHeard();
    } finally {
      core.lock.unlock();
    }
  }

  /**
   * Reports what has ended, as far as there is space.
   *
   * @return whether there is more
   */
  boolean report(Completions into) {
    core.lock.lock();
    try {
      int reported = 0;
      int waiting = core.arrivals.notices.size();
      while (reported < ends.size() && !into.isFull()) {
        reportEnd(into, ends.get(reported++));
      }
      ends.removeFirst(reported);
      if (core.arrivals.notices.size() < waiting) {
        core.noticesPolled();
      }
      if (ends.size() == 0 && over != null && !into.isFull()) {
        into.add(connection, CompletionKind.CLOSED, 0, -1, 0, over.copy());
        over = null;
      }
      return ends.size() > 0 || over != null;
    } finally {
      core.lock.unlock();
    }
  }

  private void reportEnd(Completions into, int slot) {
    if (slot == NOTICE) {
      core.arrivals.notices.pollInto(into, connection);
      return;
    }
    if (slot == MESSAGE) {
      core.arrivals.messages.pollInto(into, connection, core.requests);
      return;
    }
    Requests requests = core.requests;
    long outcome = requests.outcome(slot);
    boolean hasFailed = outcome == Channel.FAILED;
    into.add(
        connection,
        hasFailed ? kindOf(requests.failure(slot)) : requests.kind(slot),
        requests.userData(slot),
        requests.number(slot),
        hasFailed ? 0 : outcome,
        hasFailed ? failureOf(slot) : null);
    requests.end(slot);
  }

  private static CompletionKind kindOf(TransportException failure) {
    return failure.reason() == TransportException.Reason.WITHDRAWN
        ? CompletionKind.WITHDRAWN
        : CompletionKind.FAILED;
  }

  /** Null for a receive that was taken back: its kind says it all. */
  private TransportException failureOf(int slot) {
    TransportException failure = core.requests.failure(slot);
    return kindOf(failure) == CompletionKind.FAILED ? failure.copy() : null;
  }

  /** Whether CLOSED was reported: it leaves the poller. */
  boolean isDone() {
    core.lock.lock();
    try {
      return isOver && over == null;
    } finally {
      core.lock.unlock();
    }
  }

  /** As {@link ChannelCore#progressUnpolled}. */
  boolean progressUnpolled() {
    core.lock.lock();
    try {
      return core.progressUnpolled();
    } finally {
      core.lock.unlock();
    }
  }

  @Override
  public boolean isPoller() {
    return true;
  }

  @Override
  public void begun(long deadlineNs) {
    poller.begun(deadlineNs);
  }

  @Override
  public void ended(int slot) {
    ends.add(slot);
    poller.reportLater(this);
  }

  @Override
  public void noticed() {
    ends.add(NOTICE);
    poller.reportLater(this);
  }

  @Override
  public void messageReceived() {
    ends.add(MESSAGE);
    poller.reportLater(this);
  }

  @Override
  public void deferred() {
    poller.deferred();
  }

  @Override
  public void unsignaledPosted() {
    if (!isReportDue) {
      isReportDue = true;
      poller.unsignaledPosted();
    }
  }

  @Override
  public void joined(VerbsEndpoint endpoint) {
    attachment.joined(endpoint);
  }

  @Override
  public void railsChanged() {
    if (!attachment.isHeard()) {
      poller.unheard();
    }
  }

  @Override
  public void over(TransportException why) {
    if (!isOver) {
      isOver = true;
      over = why;
      poller.reportLater(this);
    }
  }
}
