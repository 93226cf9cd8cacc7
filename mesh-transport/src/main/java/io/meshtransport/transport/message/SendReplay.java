// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.message;

import io.meshtransport.spi.CompletionKind;
import io.meshtransport.spi.TransportException;
import io.meshtransport.transport.channel.ChannelCore;
import io.meshtransport.transport.channel.ChannelFailures;
import io.meshtransport.transport.channel.SlotSet;
import io.meshtransport.transport.endpoint.MeshEndpoint;
import io.meshtransport.transport.endpoint.SendJournal;
import io.meshtransport.transport.endpoint.WorkRequestId;
import io.meshtransport.transport.memory.PeerNic;
import io.meshtransport.transport.rail.Rail;
import io.meshtransport.verbs.Errno;

/**
 * Takes what a connection has under way from a rail that is lost to the next. The peer says how
 * many messages it has received: they are over, and so is all before them. What is left goes over
 * the next rail in the same order, but for puts, and gets that others have overtaken: whether these
 * were carried out is unknown, and they fail. Confined to the channel's lock.
 *
 * <p>The rest of the connection gets one completion for each signaled work request, in order, as
 * over a single queue pair, and knows nothing of it.
 */
final class SendReplay {
  private final ChannelCore core;
  private final ControlPath control;
  private final SendJournal journal;
  private final SendRequests sends;
  private final RmaOperations rma;
  private final OneRailSendQueue queue;
  private final NoticeCredit credit;

  /** Slots of puts and gets whose memory the rail does not lead to. */
  private final SlotSet strays = new SlotSet();

  private DuplexEvents events;

  SendReplay(
      ChannelCore core,
      ControlPath control,
      SendJournal journal,
      SendRequests sends,
      RmaOperations rma,
      OneRailSendQueue queue,
      NoticeCredit credit) {
    this.core = core;
    this.control = control;
    this.journal = journal;
    this.sends = sends;
    this.rma = rma;
    this.queue = queue;
    this.credit = credit;
  }

  /** Connects the part that gets completions, once, before anything else. */
  void attach(DuplexEvents duplexEvents) {
    events = duplexEvents;
  }

  /** The connection begins on a rail. */
  void begin(Rail first) {
    queue.switchTo(first.endpoint(), first.peerNic());
  }

  /** What waits and what is under way finds its memory over another rail. */
  void moveTo(Rail next, PeerNic peer) {
    MeshEndpoint endpoint = next.endpoint();
    PeerNic before = rma.peer();
    rma.switchRoute(endpoint.nic().index(), peer);
    queue.switchTo(endpoint, next.peerNic());
    for (int slot = 0; slot < sends.capacity() && core.status.isLive(); slot++) {
      if (core.requests.isPending(slot) && core.requests.kind(slot) != CompletionKind.RECEIVED) {
        locate(slot, before);
      }
    }
  }

  private void locate(int slot, PeerNic before) {
    RmaTransfer transfer = rma.at(slot);
    if (transfer == null) {
      queue.locate(slot);
    } else if (strays.contains(slot) || !transfer.reroute(before, rma.nicIndex(), rma.peer())) {
      stray(slot, transfer);
    }
  }

  private void stray(int slot, RmaTransfer transfer) {
    if (transfer.isGather()) {
      // All memory is registered with every NIC that is in use.
      core.shutdown.breakWith(ChannelFailures.post(core.route, "a gathered message", Errno.EINVAL));
    } else {
      strays.add(slot);
    }
  }

  /**
   * The peer has received so many messages since the beginning, and receives nothing more of what
   * was posted.
   *
   * @return false if that cannot be
   */
  boolean confirm(long messages) {
    int over = journal.countOver(messages);
    if (over < 0) {
      return false;
    }
    failUnknown(over);
    for (int left = over; left > 0 && core.status.isLive(); left--) {
      int kind = journal.kind(0);
      int index = journal.index(0);
      boolean isSignaled = journal.isSignaled(0);
      journal.removeFirst();
      if (isSignaled && kind != SendJournal.DROPPED) {
        events.delivered(control.primary(), kind, index);
      }
    }
    failStrays();
    forgetLeaving();
    return true;
  }

  /** That this end leaves a rail is of no use on another. */
  private void forgetLeaving() {
    for (int position = 0; position < journal.size(); position++) {
      if (journal.kind(position) == WorkRequestId.CONTROL
          && journal.index(position) == control.leaveBuffer()) {
        journal.drop(position);
      }
    }
  }

  /** Their memory, here or at the peer, is not known to a NIC that the rail leads over. */
  private void failStrays() {
    for (int slot = strays.next(0); slot >= 0; slot = strays.next(slot + 1)) {
      strays.remove(slot);
      if (core.requests.isPending(slot)) {
        RmaTransfer transfer = rma.at(slot);
        if (transfer.hasNotice() && transfer.hasBegun()) {
          credit.giveBack();
        }
        fail(
            slot,
            transfer.hasBegun()
                ? ChannelFailures.outcomeUnknown(
                    core.route, transfer.isGet(), transfer.totalBytes())
                : cannotGoOn(transfer));
      }
    }
  }

  private TransportException cannotGoOn(RmaTransfer transfer) {
    return transfer.elsewhere() == null
        ? ChannelFailures.notRegistered(core.route)
        : ChannelFailures.keyOfAnotherNode(core.route, transfer.elsewhere(), rma.peer());
  }

  /** From the newest to the oldest, for a put makes unknown what a get before it would read. */
  private void failUnknown(int over) {
    boolean isPutBehind = false;
    for (int position = journal.size() - 1; position >= 0; position--) {
      int slot = journal.index(position);
      if (!isPiece(position) || !journal.isPosted(position) || rma.gatherAt(slot) != null) {
        continue;
      }
      RmaTransfer transfer = rma.at(slot);
      boolean isOver = position < over;
      boolean isUnknown =
          transfer.isGet() ? isOver || isPutBehind : !isOver && !transfer.hasNotice();
      isPutBehind |= !transfer.isGet();
      if (isUnknown) {
        fail(
            slot,
            ChannelFailures.outcomeUnknown(core.route, transfer.isGet(), transfer.totalBytes()));
      }
    }
  }

  private boolean isPiece(int position) {
    int kind = journal.kind(position);
    return kind == WorkRequestId.PIECE || kind == WorkRequestId.LAST_PIECE;
  }

  /** What else completes because of its work requests goes on without it. */
  private void fail(int slot, TransportException why) {
    for (int position = 0; position < journal.size(); position++) {
      boolean isOfSlot = journal.index(position) == slot;
      if (isOfSlot && isPiece(position)) {
        journal.neutralize(position);
      } else if (isOfSlot && journal.kind(position) == WorkRequestId.CONTROL) {
        journal.drop(position);
      }
    }
    queue.abandon(slot);
    core.requests.fail(slot, why);
  }

  /** Posts everything that is not over, in order. */
  void postAgain() {
    int count = journal.size();
    for (int position = 0; position < count; position++) {
      unpost(journal.kind(position), journal.index(position));
    }
    for (int left = count; left > 0; left--) {
      int kind = journal.kind(0);
      int index = journal.index(0);
      int lengthBytes = journal.lengthBytes(0);
      boolean isSignaled = journal.isSignaled(0);
      journal.takeFirst();
      if (kind == WorkRequestId.CONTROL) {
        core.check(control.primary().sendControl(index, lengthBytes, 0), "a control message");
      } else if (kind != SendJournal.DROPPED) {
        queue.postAgain(kind, index, isSignaled);
      }
    }
  }

  private void unpost(int kind, int slot) {
    if (kind == WorkRequestId.PART) {
      queue.unpostPart(slot);
    } else if (kind == WorkRequestId.PIECE || kind == WorkRequestId.LAST_PIECE) {
      queue.unpostPiece(slot);
    }
  }
}
