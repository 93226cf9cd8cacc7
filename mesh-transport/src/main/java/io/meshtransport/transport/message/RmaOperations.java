// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.message;

import io.meshtransport.spi.GatherList;
import io.meshtransport.spi.TransferList;
import io.meshtransport.transport.channel.TableGrowth;
import io.meshtransport.transport.endpoint.MeshEndpoint;
import io.meshtransport.transport.endpoint.UnsignaledSends;
import io.meshtransport.transport.endpoint.WorkRequestId;
import io.meshtransport.transport.memory.MemoryRegistry;
import io.meshtransport.transport.memory.PeerNic;
import java.util.Arrays;

/**
 * The puts and gets of one channel, and its messages of gather lists, by the slot of their request.
 * Its tables are allocated with the first of them, for most channels have none. Confined to the
 * channel's lock; allocates nothing once warm.
 */
final class RmaOperations {
  private final MemoryRegistry memory;
  private PeerNic peer;
  private int nicIndex;
  private final long partBytes;
  private final TransferList single = new TransferList();
  private RmaTransfer[] bySlot = {};
  private RmaTransfer[] idle = {};
  private int idleCount;

  /**
   * @param peer where the channel leads
   * @param nicIndex local NIC that the channel uses
   * @param partBytes longest piece of one work request that both ends can do
   */
  RmaOperations(MemoryRegistry memory, PeerNic peer, int nicIndex, long partBytes) {
    this.memory = memory;
    this.peer = peer;
    this.nicIndex = nicIndex;
    this.partBytes = partBytes;
  }

  /** Puts and gets that begin from now on take another route; none may be under way. */
  void switchRoute(int newNicIndex, PeerNic newPeer) {
    nicIndex = newNicIndex;
    peer = newPeer;
  }

  /** The local NIC that it uses now. */
  int nicIndex() {
    return nicIndex;
  }

  /** Where it leads now. */
  PeerNic peer() {
    return peer;
  }

  /** For a request of one piece; the caller fills and clears it. */
  TransferList single() {
    return single;
  }

  /** A put or get made of a list; rules of {@link RmaTransfer#fill}. */
  RmaTransfer acquire(TransferList list, boolean isGet) {
    RmaTransfer transfer = idle();
    transfer.fill(memory, list, isGet, nicIndex, peer, partBytes);
    return transfer;
  }

  /** A message made of a list; rules of {@link RmaTransfer#fillGather}. */
  RmaTransfer acquire(GatherList list) {
    RmaTransfer message = idle();
    message.fillGather(memory, list, nicIndex, partBytes);
    return message;
  }

  private RmaTransfer idle() {
    return idleCount == 0 ? new RmaTransfer(this::release) : idle[--idleCount];
  }

  private void release(RmaTransfer transfer) {
    if (idleCount == idle.length) {
      idle = Arrays.copyOf(idle, TableGrowth.toHold(idleCount));
    }
    idle[idleCount++] = transfer;
  }

  /** A request is a put or get or a gathered message, which the request retains from now on. */
  void begin(int slot, RmaTransfer transfer) {
    if (slot >= bySlot.length) {
      bySlot = Arrays.copyOf(bySlot, TableGrowth.toHold(slot));
    }
    bySlot[slot] = transfer;
  }

  /** A request is a message of one piece. */
  void beginMessage(int slot) {
    if (slot < bySlot.length) {
      bySlot[slot] = null;
    }
  }

  /** The gathered message of a request that is not over, or null if it is something else. */
  RmaTransfer gatherAt(int slot) {
    RmaTransfer transfer = at(slot);
    return transfer != null && transfer.isGather() ? transfer : null;
  }

  /** What a request has that is not over; null if it is a message of one piece. */
  RmaTransfer at(int slot) {
    return slot < bySlot.length ? bySlot[slot] : null;
  }

  /**
   * Writes what is left of a put or get into a new chain, as far as that and the send queue take
   * it; {@link MeshEndpoint#postPieces} posts it.
   *
   * @param freePosts work requests that the send queue takes, at least 1
   * @param signals what is reported, and what that speaks for
   * @param reportsEnd whether the end of the request must be reported
   */
  void add(
      MeshEndpoint endpoint, int slot, int freePosts, UnsignaledSends signals, boolean reportsEnd) {
    RmaTransfer transfer = bySlot[slot];
    int most = Math.min(freePosts, endpoint.maxPieces());
    int count = (int) Math.min(most, transfer.requestsLeft());
    boolean isCut = count < transfer.requestsLeft();
    endpoint.beginPieces();
    for (int i = 1; i <= count; i++) {
      boolean isEnd = transfer.requestsLeft() == 1;
      // A queue that is full hears of its end, and of its middle so that it does not run empty
      // meanwhile.
      boolean isReported = i == freePosts || isEnd && reportsEnd || isCut && i == (count + 1) / 2;
      // A message, and a put with a notice, ends with the control message behind it.
      boolean isLast = isEnd && !transfer.endsWithControl();
      long id = WorkRequestId.of(isLast ? WorkRequestId.LAST_PIECE : WorkRequestId.PIECE, slot);
      transfer.addNext(endpoint, id, partBytes, isReported);
      if (isReported) {
        signals.addSignaled();
      } else {
        signals.add(isEnd ? slot : UnsignaledSends.NONE);
      }
    }
  }

  /** The work request of a request that was posted last, and is not over, is to be posted again. */
  void unpost(int slot) {
    bySlot[slot].unpost(partBytes);
  }

  /**
   * Posts the next work request of a request, which there must be, of which the signals know
   * already. Answers an errno.
   */
  int postAgain(MeshEndpoint endpoint, int kind, int slot, boolean isReported) {
    endpoint.beginPieces();
    bySlot[slot].addNext(endpoint, WorkRequestId.of(kind, slot), partBytes, isReported);
    return endpoint.postPieces();
  }
}
