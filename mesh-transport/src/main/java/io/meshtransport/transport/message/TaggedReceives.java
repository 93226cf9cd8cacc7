// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.message;

import io.meshtransport.spi.CompletionKind;
import io.meshtransport.spi.MultiReceive;
import io.meshtransport.spi.ReceiveGroup;
import io.meshtransport.spi.TransportException;
import io.meshtransport.transport.channel.ChannelCore;
import io.meshtransport.transport.channel.ChannelFailures;
import io.meshtransport.transport.channel.DeadlineFailures;
import io.meshtransport.transport.channel.EndpointEvents;
import io.meshtransport.transport.channel.Goodbye;
import io.meshtransport.transport.endpoint.ControlMessage;
import io.meshtransport.transport.endpoint.MeshEndpoint;
import io.meshtransport.transport.endpoint.VerbsEndpoint;
import io.meshtransport.transport.endpoint.WorkRequestId;
import io.meshtransport.transport.memory.Retained;
import io.meshtransport.verbs.CompletionStatus;
import io.meshtransport.verbs.WorkCompletions;
import java.nio.ByteBuffer;

/**
 * The receiving direction of a channel or connection on our own wire. The receives of a request are
 * announced to the sender, which writes straight into their memory; the notification of each
 * message names its receive. Confined to the channel's lock.
 */
final class TaggedReceives implements EndpointEvents {
  private final ChannelCore core;
  private final ControlPath control;
  private final PostedReceives receives;
  private final AnnouncementQueue announcements;
  private final AnnouncementBuffers buffers;
  private final MessageReceiveQueue queue;
  private final Withdrawals withdrawals;
  private final PutNotices putNotices;
  private final UnexpectedMessages unexpected;

  TaggedReceives(
      ChannelCore core,
      ControlPath control,
      PostedReceives receives,
      AnnouncementQueue announcements,
      AnnouncementBuffers buffers,
      MessageReceiveQueue queue,
      boolean reportsUnexpected) {
    this.core = core;
    this.control = control;
    this.receives = receives;
    this.announcements = announcements;
    this.buffers = buffers;
    this.queue = queue;
    this.withdrawals = new Withdrawals(core, control, receives, announcements, buffers);
    this.putNotices = new PutNotices(core, control);
    this.unexpected = new UnexpectedMessages(core, control, receives, reportsUnexpected);
  }

  /** Whether a request of so many receives cannot begin now. */
  boolean isFull(int count) {
    return core.requests.isFull() || receives.isFull(count);
  }

  /**
   * Begins a request, for which there is a slot; returns its number.
   *
   * @param retained the memory of each receive
   */
  long begin(ReceiveGroup group, Retained[] retained, long timeoutNs, long userData) {
    int slot = core.begin(CompletionKind.RECEIVED, timeoutNs, userData);
    withdrawals.requestBegins(slot);
    receives.begin(slot, group.size());
    for (int entry = 0; entry < group.size(); entry++) {
      core.requests.uses(slot, retained[entry]);
      receives.add(slot, entry, group.lengthBytes(entry), group.tag(entry));
    }
    long request = core.requests.number(slot);
    if (prepare(slot)) {
      buffers.write(slot, group, retained);
      announce(slot);
    }
    return request;
  }

  /**
   * As {@link #begin(ReceiveGroup, Retained[], long, long)}, of a multi-receive.
   *
   * @param retained its memory
   */
  long begin(MultiReceive receive, Retained retained, long timeoutNs, long userData) {
    int slot = core.begin(CompletionKind.RECEIVED, timeoutNs, userData);
    withdrawals.requestBegins(slot);
    receives.beginMulti(slot, receive);
    core.requests.uses(slot, retained);
    core.requests.limit(slot, receive.messages());
    long request = core.requests.number(slot);
    if (prepare(slot)) {
      buffers.writeMulti(slot, receive, retained.memory());
      announce(slot);
    }
    return request;
  }

  /** Sees to it that there is what a request needs; if not, the channel has broken. */
  private boolean prepare(int slot) {
    int errno = buffers.prepare(slot, receives.awaited());
    if (errno != 0) {
      core.shutdown.breakWith(ChannelFailures.post(core.route, "what a receive needs", errno));
    }
    return errno == 0;
  }

  /** Announces a request whose announcement is written, now or when the peer has a receive. */
  private void announce(int slot) {
    announcements.add(slot);
    announceDue();
    if (announcements.size() > 0) {
      pollToAnnounce();
    }
  }

  /** Announces, oldest first, as many requests as the peer has receives for. */
  private void announceDue() {
    while (announcements.isDue() && core.status.isReady()) {
      queue.announce(announcements.next());
    }
  }

  /** The peer may have read announcements, or posted more receives, and its message lie unread. */
  private void pollToAnnounce() {
    int count;
    do {
      count = core.progress();
    } while (count > 0 && announcements.size() > 0 && core.status.isReady());
    if (announcements.size() > 0 && core.status.isReady()) {
      core.attendance.deferred();
    }
  }

  /** As {@link io.meshtransport.spi.ReceiveChannel#receivedSoFar}. */
  int receivedSoFar(long request, long[] lengthsBytes) {
    int slot = core.progressFor(request, lengthsBytes);
    return receives.receivedSoFar(slot, lengthsBytes);
  }

  @Override
  public void completed(
      VerbsEndpoint from, int kind, int index, WorkCompletions batch, int position) {
    MeshEndpoint on = (MeshEndpoint) from;
    switch (kind) {
      case WorkRequestId.CONTROL -> {
        if (control.isOfRequest(index)) {
          queue.announcementDelivered(index);
          withdrawals.sendNext();
        } else if (index == control.putCreditBuffer()) {
          putNotices.creditDelivered();
        } else if (index == control.unexpectedCreditBuffer()) {
          unexpected.creditDelivered();
        }
      }
      case WorkRequestId.RECEIVE -> received(on, index, batch, position);
      default ->
          throw new IllegalStateException(
              "a receiving end has posted " + WorkRequestId.describe(kind));
    }
  }

  private void received(MeshEndpoint on, int index, WorkCompletions batch, int position) {
    control.receiveCompleted(on);
    int lengthBytes = batch.lengthBytes(position);
    if (batch.hasImmediate(position)) {
      queue.immediateReceived(on, batch.immediate(position), Integer.toUnsignedLong(lengthBytes));
    } else {
      int kind = control.kindOf(on, index, batch, position);
      controlReceived(on, kind, on.incoming().memory(index), on.incoming().at(index), lengthBytes);
    }
    control.postAgain(on, index);
  }

  private void controlReceived(
      MeshEndpoint from, int kind, ByteBuffer message, int at, int lengthBytes) {
    switch (kind) {
      case ControlPath.NONE -> {
        // The channel has broken.
      }
      case ControlMessage.GOODBYE ->
          core.shutdown.breakWith(
              ChannelFailures.peerClosed(core.route, Goodbye.read(message, at, lengthBytes), ""));
      case ControlMessage.WITHDRAWN -> {
        if (!withdrawals.answered(message, at, lengthBytes)) {
          core.shutdown.breakWith(ControlPath.unexpected(core, kind, message, at));
        }
      }
      case ControlMessage.PUT_NOTICE -> {
        if (!putNotices.received(message, at, lengthBytes)) {
          core.shutdown.breakWith(ControlPath.unexpected(core, kind, message, at));
        }
      }
      case ControlMessage.UNEXPECTED -> {
        if (!unexpected.received(message, at, lengthBytes)) {
          core.shutdown.breakWith(ControlPath.unexpected(core, kind, message, at));
        }
      }
      default -> queue.controlReceived(from, kind, message, at, lengthBytes);
    }
  }

  @Override
  public void batchCompleted(VerbsEndpoint from) {
    // Receives first, for an announcement may make the peer send more.
    if (control.postReceives(from)) {
      receivesPosted();
    }
  }

  /** What came in a batch has been read, and its receives are posted again. */
  void receivesPosted() {
    announceDue();
    withdrawals.sendNext();
    noticesPolled();
  }

  @Override
  public void opened() {
    unexpected.sendCredit();
  }

  @Override
  public void noticesPolled() {
    putNotices.sendCredit();
    unexpected.sendCredit();
  }

  /**
   * Takes a pending request back: it ends with a message that is on its way, or else for a reason.
   *
   * @param why no message is wanted any more
   */
  void withdraw(int slot, TransportException why) {
    core.requests.postpone(slot, System.nanoTime(), core.timing().answerNs());
    withdrawals.begin(slot, why);
  }

  @Override
  public TransportException failure(
      int kind, int slot, CompletionStatus status, TransportException why) {
    return why;
  }

  @Override
  public void queried(int slot) {
    // A receive ends by itself.
  }

  @Override
  public void deadlinePassed(int slot) {
    int receive = receives.firstAwaited(slot);
    int tag = receives.tag(receive);
    long timeoutNs = core.requests.timeoutNs(slot);
    DeadlineFailures failures = core.deadlineFailures(timeoutNs);
    if (control.isOfBoth() && !withdrawals.isBegun(slot)) {
      withdraw(
          slot,
          failures.receiveTimedOut(
              tag, receives.lengthBytes(receive), receives.messagesSoFar(slot)));
      return;
    }
    core.shutdown.failWith(
        failures.receiveOverdue(tag, receives.lengthBytes(receive)),
        new Goodbye(Goodbye.Why.RECEIVE_TIMED_OUT, tag, timeoutNs));
  }

  /**
   * What the peer knows of, and is still awaited when the endpoint has stopped, fails then; so does
   * what it will not hear of any more.
   */
  @Override
  public void closing(TransportException why) {
    announcements.clear();
    withdrawals.clear();
  }

  @Override
  public void stopped() {
    queue.stopped();
  }

  @Override
  public boolean sendGoodbye(Goodbye goodbye) {
    return control.sendGoodbye(goodbye);
  }

  /** Announcements that wait until the peer has receives for them. */
  @Override
  public boolean needsProgress() {
    return announcements.size() > 0;
  }

  @Override
  public void lengths(int slot, long[] into) {
    receives.lengths(slot, into);
  }
}
