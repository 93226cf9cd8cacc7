// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.message;

import io.meshtransport.spi.CompletionKind;
import io.meshtransport.spi.Counter;
import io.meshtransport.spi.TransportException;
import io.meshtransport.transport.channel.ChannelCore;
import io.meshtransport.transport.channel.ChannelFailures;
import io.meshtransport.transport.channel.DeadlineFailures;
import io.meshtransport.transport.channel.EndpointEvents;
import io.meshtransport.transport.channel.Goodbye;
import io.meshtransport.transport.channel.SlotFifo;
import io.meshtransport.transport.channel.TableGrowth;
import io.meshtransport.transport.endpoint.ControlMessage;
import io.meshtransport.transport.endpoint.ImmediateData;
import io.meshtransport.transport.endpoint.MeshEndpoint;
import io.meshtransport.transport.endpoint.QueueDepths;
import io.meshtransport.transport.endpoint.VerbsEndpoint;
import io.meshtransport.transport.endpoint.WorkRequestId;
import io.meshtransport.transport.memory.MeshMemory;
import io.meshtransport.transport.memory.Retained;
import io.meshtransport.verbs.CompletionStatus;
import io.meshtransport.verbs.WorkCompletions;
import java.nio.ByteBuffer;

/**
 * The sending direction of a channel or connection on our own wire. A message waits until the peer
 * has advertised a receive with its tag, so nothing is ever sent to a peer that has no receive for
 * it; then it goes to the {@link MessageSendQueue}, behind which puts and gets go without waiting.
 * Confined to the channel's lock.
 */
final class TaggedSends implements EndpointEvents {
  private static final int NONE = TaggedFifo.NONE;

  private final ChannelCore core;
  private final ControlPath control;
  private final AdvertisedReceives advertised;
  private final SendRequests sends;
  private final RmaOperations rma;
  private final MessageSendQueue queue;
  private final NoticeCredit putCredit;
  private final WithdrawalAnswers withdrawals;
  private final UnexpectedReports unexpected;

  /** Messages without a receive, oldest first. */
  private final TaggedFifo unmatched = new TaggedFifo();

  /** Receives that were advertised while messages waited, and not matched yet, oldest first. */
  private final SlotFifo newReceives = new SlotFifo();

  /** Receives for announcements and GOODBYE that the peer knows of. */
  private int receivesSent;

  private int receivesMessages;

  TaggedSends(
      ChannelCore core,
      ControlPath control,
      AdvertisedReceives advertised,
      SendRequests sends,
      RmaOperations rma,
      NoticeCredit putCredit,
      MessageSendQueue queue) {
    this.core = core;
    this.control = control;
    this.advertised = advertised;
    this.sends = sends;
    this.rma = rma;
    this.putCredit = putCredit;
    this.queue = queue;
    this.withdrawals = new WithdrawalAnswers(control);
    this.unexpected = new UnexpectedReports(core, control, sends);
    this.receivesSent = control.announcementReceives();
  }

  /** Begins a message, for which there is a slot; returns the request's number. */
  long begin(
      Retained retained,
      MeshMemory memory,
      long offsetBytes,
      long lengthBytes,
      int tag,
      long timeoutNs,
      long userData) {
    int slot = core.begin(CompletionKind.SENT, timeoutNs, userData);
    ensureCapacity(slot);
    core.requests.uses(slot, retained);
    sends.begin(slot, lengthBytes, tag);
    queue.begin(slot, memory, offsetBytes);
    rma.beginMessage(slot);
    return matchOrWait(slot, tag);
  }

  /** As {@link #begin}, of a message of several pieces. */
  long beginGather(RmaTransfer pieces, int tag, long timeoutNs, long userData) {
    int slot = core.begin(CompletionKind.SENT, timeoutNs, userData);
    ensureCapacity(slot);
    core.requests.uses(slot, pieces);
    sends.begin(slot, pieces.totalBytes(), tag);
    rma.begin(slot, pieces);
    queue.beginGather(slot);
    return matchOrWait(slot, tag);
  }

  private long matchOrWait(int slot, int tag) {
    long request = core.requests.number(slot);
    int receive = advertised.find(tag);
    if (receive == NONE) {
      if (slot >= unmatched.capacity()) {
        unmatched.grow(sends.capacity());
      }
      unmatched.add(slot, tag);
      core.requests.counts().add(Counter.LATE_RECEIVES, 1);
      boolean isReported = unexpected.isWanted();
      pollForAnnouncements();
      if (isReported && unmatched.contains(slot)) {
        unexpected.waits(slot);
      }
    } else {
      match(slot, receive);
      queue.post();
    }
    deferIfWaiting();
    return request;
  }

  /** Begins a put or get that {@link RmaOperations} has for its slot. */
  void beginTransfer(int slot, long totalBytes) {
    ensureCapacity(slot);
    sends.beginTransfer(slot, totalBytes);
    queue.addTransfer(slot);
    queue.post();
    deferIfWaiting();
  }

  private void deferIfWaiting() {
    if (core.status.isReady() && needsProgress()) {
      core.attendance.deferred();
    }
  }

  private void ensureCapacity(int slot) {
    if (slot >= sends.capacity()) {
      int slots = TableGrowth.toHold(slot);
      sends.grow(slots);
      queue.grow(slots);
    }
  }

  private void match(int slot, int receive) {
    unexpected.remove(slot);
    sends.match(slot, receive, advertised.longestBytes(receive));
    queue.add(slot);
    advertised.use(receive, sends.lengthBytes(slot));
  }

  /** The announcement may have come already and lie unread, behind what else completed. */
  private void pollForAnnouncements() {
    int count;
    do {
      count = core.progress();
    } while (count > 0 && unmatched.size() > 0 && core.status.isReady());
  }

  /** Matches what waits with the receives that have come, in their order. */
  private void matchWaiting() {
    while (newReceives.size() > 0 && core.status.isReady()) {
      int receive = newReceives.get(0);
      // Not any more, if the peer has taken it back meanwhile; for long, if it takes several.
      int slot = advertised.isOpen(receive) ? unmatched.find(advertised.tag(receive)) : NONE;
      if (slot == NONE) {
        newReceives.removeAt(0);
      } else {
        unmatched.remove(slot);
        match(slot, receive);
      }
    }
  }

  /** Requests that need progress of this channel before the device has all of them. */
  int needingProgress() {
    return unmatched.size() + queue.size();
  }

  @Override
  public void completed(
      VerbsEndpoint from, int kind, int index, WorkCompletions batch, int position) {
    MeshEndpoint on = (MeshEndpoint) from;
    switch (kind) {
      case WorkRequestId.CONTROL -> {
        if (control.isOfRequest(index)) {
          queue.controlDelivered(index);
        } else if (index == control.withdrawnBuffer()) {
          withdrawals.delivered();
        } else {
          unexpected.delivered(index);
        }
      }
      case WorkRequestId.RECEIVE -> received(on, index, batch, position);
      default -> queue.completed(on, kind, index);
    }
  }

  private void received(MeshEndpoint on, int index, WorkCompletions batch, int position) {
    control.receiveCompleted(on);
    if (batch.hasImmediate(position)) {
      core.shutdown.breakWith(
          ChannelFailures.protocol(core.route, "a message of its own to the sending end"));
    } else {
      int kind = control.kindOf(on, index, batch, position);
      ByteBuffer message = on.incoming().memory(index);
      controlReceived(on, kind, message, on.incoming().at(index), batch.lengthBytes(position));
    }
    control.postAgain(on, index);
  }

  private void controlReceived(
      MeshEndpoint from, int kind, ByteBuffer message, int at, int lengthBytes) {
    switch (kind) {
      case ControlPath.NONE -> {
        // The channel has broken.
      }
      case ControlMessage.GOODBYE -> {
        Goodbye goodbye = Goodbye.read(message, at, lengthBytes);
        core.shutdown.breakWith(
            ChannelFailures.peerClosed(core.route, goodbye, waitingFor(goodbye)));
      }
      case ControlMessage.ADVERTISE ->
          announced(from, message, at, advertised.add(message, at, lengthBytes));
      case ControlMessage.ADVERTISE_MULTI ->
          announced(from, message, at, multiAnnounced(message, at, lengthBytes));
      case ControlMessage.WITHDRAW -> withdrawn(message, at, lengthBytes);
      case ControlMessage.PUT_CREDIT, ControlMessage.UNEXPECTED_CREDIT ->
          creditReceived(kind, message, at, lengthBytes);
      default -> {
        if (!queue.controlReceived(kind, message, at, lengthBytes)) {
          core.shutdown.breakWith(
              ChannelFailures.protocol(core.route, "a control message of kind " + kind));
        }
      }
    }
  }

  private String multiAnnounced(ByteBuffer message, int at, int lengthBytes) {
    return control.isOfBoth()
        ? advertised.addMulti(message, at, lengthBytes)
        : "a multi-receive on a channel of one direction";
  }

  /**
   * @param wrong why it is not a possible announcement, or an empty string
   */
  private void announced(MeshEndpoint from, ByteBuffer message, int at, String wrong) {
    queue.announcementRead();
    if (!wrong.isEmpty()) {
      core.shutdown.breakWith(ChannelFailures.protocol(core.route, wrong));
      return;
    }
    noteNewReceives(ControlMessage.slot(message, at), ControlMessage.count(message, at));
    int receives =
        QueueDepths.senderReceives(ControlMessage.slot(message, at), core.requests.max());
    core.check(
        from, control.ensureAnnouncementReceives(from, receives), "receives for announcements");
  }

  private void noteNewReceives(int slot, int count) {
    for (int entry = 0; entry < count && unmatched.size() > 0; entry++) {
      newReceives.add(ImmediateData.receive(slot, entry));
    }
  }

  private void withdrawn(ByteBuffer message, int at, int lengthBytes) {
    int slot = ControlMessage.slot(message, at);
    boolean isPossible =
        control.isOfBoth()
            && lengthBytes == ControlMessage.NUMBER_BYTES
            && slot < core.requests.max()
            && withdrawals.add(slot, advertised.withdraw(slot));
    if (!isPossible) {
      core.shutdown.breakWith(ControlPath.unexpected(core, ControlMessage.WITHDRAW, message, at));
    }
  }

  private void creditReceived(int kind, ByteBuffer message, int at, int lengthBytes) {
    long limit =
        lengthBytes == ControlMessage.NUMBER_BYTES ? ControlMessage.number(message, at) : 0;
    boolean isPossible =
        control.isOfBoth()
            && (kind == ControlMessage.PUT_CREDIT
                ? putCredit.received(limit)
                : unexpected.creditReceived(limit, unmatched));
    if (!isPossible) {
      core.shutdown.breakWith(ControlPath.unexpected(core, kind, message, at));
    }
  }

  /** What this end has that could be the cause of a GOODBYE, or an empty string. */
  private String waitingFor(Goodbye goodbye) {
    if (goodbye.why() != Goodbye.Why.RECEIVE_TIMED_OUT || unmatched.size() == 0) {
      return "";
    }
    return "This end has sends waiting for receives with other tags, the first with tag "
        + unmatched.tag(unmatched.oldest())
        + ".";
  }

  @Override
  public void batchCompleted(VerbsEndpoint from) {
    // Receives first, for what is posted then may make the peer send more.
    if (control.postReceives(from)) {
      receivesPosted();
    }
    postMatched();
  }

  /** What came in a batch has been read, and its receives are posted again. */
  void receivesPosted() {
    sendReceives();
    putCredit.receivesPosted();
    withdrawals.send();
    matchWaiting();
    unexpected.receivesPosted();
  }

  /** Posts what is matched. */
  void postMatched() {
    queue.post();
  }

  /** The peer counts the receives here, and announces no more than there are receives for. */
  private void sendReceives() {
    int posted = control.announcementReceives();
    if (posted > receivesSent && core.status.isReady()) {
      receivesSent = posted;
      control.sendNumber(
          ControlMessage.RECEIVES,
          0,
          0,
          control.receivesBuffer(receivesMessages++),
          QueueDepths.announcements(posted));
    }
  }

  @Override
  public TransportException failure(
      int kind, int slot, CompletionStatus status, TransportException why) {
    boolean isTransfer = kind == WorkRequestId.PIECE || kind == WorkRequestId.LAST_PIECE;
    return isTransfer && rma.gatherAt(slot) == null && status == CompletionStatus.REM_ACCESS_ERR
        ? ChannelFailures.remoteAccess(core.route, rma.at(slot).isGet() ? "get" : "put")
        : why;
  }

  @Override
  public boolean awaitsReport() {
    return queue.awaitsReport();
  }

  @Override
  public void requestReport() {
    queue.requestReport();
  }

  @Override
  public void queried(int slot) {
    queue.queried(slot);
  }

  @Override
  public void deadlinePassed(int slot) {
    long timeoutNs = core.requests.timeoutNs(slot);
    DeadlineFailures failures = core.deadlineFailures(timeoutNs);
    if (unmatched.contains(slot)) {
      unmatched.remove(slot);
      unexpected.remove(slot);
      core.requests.fail(slot, failures.withdrawn(sends.tag(slot), advertised.tagsText()));
      return;
    }
    RmaTransfer transfer = rma.at(slot);
    if (transfer == null || transfer.isGather()) {
      String what = "a send of " + sends.lengthBytes(slot) + " bytes with tag " + sends.tag(slot);
      core.shutdown.failWith(
          failures.overdue(what),
          new Goodbye(Goodbye.Why.SEND_TIMED_OUT, sends.tag(slot), timeoutNs));
    } else if (transfer.hasBegun()) {
      String what = "a put or get of " + sends.lengthBytes(slot) + " bytes";
      core.shutdown.failWith(
          failures.overdue(what), new Goodbye(Goodbye.Why.TRANSFER_TIMED_OUT, 0, timeoutNs));
    } else {
      queue.remove(slot);
      core.requests.fail(slot, failures.notBegun());
      // What is behind it may not need what it waited for.
      queue.post();
    }
  }

  @Override
  public void closing(TransportException why) {
    while (unmatched.size() > 0) {
      int slot = unmatched.oldest();
      unmatched.remove(slot);
      core.requests.fail(slot, why);
    }
    unexpected.clear();
    queue.closing();
  }

  @Override
  public void stopped() {
    // Only its completion says that the peer has a message.
  }

  @Override
  public boolean sendGoodbye(Goodbye goodbye) {
    return queue.sendGoodbye(goodbye);
  }

  @Override
  public boolean needsProgress() {
    return needingProgress() > 0;
  }

  @Override
  public void lengths(int slot, long[] into) {
    into[0] = sends.lengthBytes(slot);
  }
}
