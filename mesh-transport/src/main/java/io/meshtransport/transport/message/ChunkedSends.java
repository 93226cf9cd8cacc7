// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.message;

import io.meshtransport.transport.channel.ChannelCore;
import io.meshtransport.transport.channel.ChannelFailures;
import io.meshtransport.transport.channel.SlotFifo;
import io.meshtransport.transport.channel.SlotSet;
import io.meshtransport.transport.endpoint.ImmediateData;
import io.meshtransport.transport.memory.MeshMemory;
import io.meshtransport.transport.rail.ChunkQueue;
import io.meshtransport.transport.rail.ChunkScheduler;
import io.meshtransport.transport.rail.Rail;
import io.meshtransport.transport.rail.RailEvents;
import io.meshtransport.transport.rail.RailSet;
import io.meshtransport.transport.rail.RailWindow;

/**
 * The long messages of a multi-rail channel: cuts them into chunks, shares these out over the
 * rails, and knows which rails carried what. Confined to the channel's lock; allocates only when a
 * rail joins.
 */
final class ChunkedSends {
  private final ChannelCore core;
  private final RailSet rails;
  private final AdvertisedReceives advertised;
  private final SendRequests sends;
  private final PrimaryTransfers transfers;
  private final RmaOperations rma;

  /** Messages, puts and gets of which the peer has not been notified, oldest first. */
  private final SlotFifo queue;

  private final int chunkBytes;
  private final ChunkScheduler scheduler;
  private final long[] offsetsBytes;
  private final long[] sharedOutBytes;
  private final long[] acknowledgedBytes;

  /** Bits of the rails that carried something of a message, which must notify the peer of it. */
  private final long[] carriers;

  /** Slots of messages whose other carriers have notified the peer. */
  private final SlotSet placementsSent = new SlotSet();

  /** Bits of the rails that carried something of a message when they were lost. */
  private final long[] lostCarriers;

  /** Chunks that were under way on a rail that is lost. */
  private ChunkQueue again = new ChunkQueue(RailWindow.WINDOW_CHUNKS);

  /** Of long messages in the queue, what has not been shared out. */
  private long restBytes;

  /**
   * @param queue messages, puts and gets of which the peer has not been notified
   * @param chunkBytes longest part of a message that goes over one rail
   */
  ChunkedSends(
      ChannelCore core,
      RailSet rails,
      AdvertisedReceives advertised,
      SendRequests sends,
      PrimaryTransfers transfers,
      RmaOperations rma,
      SlotFifo queue,
      int chunkBytes) {
    this.core = core;
    this.rails = rails;
    this.advertised = advertised;
    this.sends = sends;
    this.transfers = transfers;
    this.rma = rma;
    this.queue = queue;
    this.chunkBytes = chunkBytes;
    int requests = core.requests.max();
    offsetsBytes = new long[requests];
    sharedOutBytes = new long[requests];
    acknowledgedBytes = new long[requests];
    carriers = new long[requests];
    lostCarriers = new long[requests];
    scheduler = new ChunkScheduler(chunkBytes);
    scheduler.add(scheduler.newWindow(rails.primary()));
  }

  /** As {@link RailEvents#joining}. */
  Runnable joining(Rail rail) {
    RailWindow window = scheduler.newWindow(rail);
    ChunkQueue more = new ChunkQueue((rails.rails().size() + 1) * RailWindow.WINDOW_CHUNKS);
    return () -> {
      scheduler.add(window);
      again = more.takeAll(again);
    };
  }

  /** A message begins, of memory from this offset on. */
  void begin(int slot, long offsetBytes) {
    offsetsBytes[slot] = offsetBytes;
  }

  /** The offset of a message in its memory. */
  long offsetBytes(int slot) {
    return offsetsBytes[slot];
  }

  /** A message is matched. */
  void add(int slot) {
    sharedOutBytes[slot] = 0;
    acknowledgedBytes[slot] = 0;
    lostCarriers[slot] = 0;
    carriers[slot] = 0;
    placementsSent.remove(slot);
    if (isLong(slot)) {
      restBytes += sends.lengthBytes(slot);
    }
  }

  /** Whether a request is a message that goes in chunks: a long one, or one of several pieces. */
  boolean isLong(int slot) {
    return (sends.lengthBytes(slot) > chunkBytes || rma.gatherAt(slot) != null)
        && !transfers.isTransfer(slot)
        && !sends.isTooLong(slot);
  }

  /** Posts what the rails take now. */
  void shareOut() {
    long nowNs = restBytes > 0 ? System.nanoTime() : 0;
    while (restBytes > 0 && core.status.isLive()) {
      int slot = again.size() > 0 ? again.slot() : firstNotSharedOut();
      long offsetBytes = again.size() > 0 ? again.offsetBytes() : sharedOutBytes[slot];
      long restOfMessageBytes = sends.lengthBytes(slot) - sharedOutBytes[slot];
      int againBytes = again.size() > 0 ? again.lengthBytes() : 0;
      RailWindow window =
          scheduler.next(Math.max(1, againBytes), restOfMessageBytes + againBytes, nowNs);
      if (window == null) {
        return;
      }
      int lengthBytes = againBytes;
      if (againBytes > 0) {
        again.remove();
      } else {
        lengthBytes =
            (int)
                Math.min(
                    restOfPieceBytes(slot, offsetBytes, restOfMessageBytes),
                    scheduler.capacityBytes(window, nowNs));
        sharedOutBytes[slot] += lengthBytes;
      }
      restBytes -= lengthBytes;
      window.posted(slot, offsetBytes, lengthBytes, nowNs);
      post(window.rail(), slot, offsetBytes, lengthBytes);
    }
  }

  /** A chunk is of one piece of its message. */
  private long restOfPieceBytes(int slot, long offsetBytes, long restOfMessageBytes) {
    RmaTransfer gather = rma.gatherAt(slot);
    return gather == null ? restOfMessageBytes : gather.pieceRestBytes(offsetBytes);
  }

  private int firstNotSharedOut() {
    for (int position = 0; position < queue.size(); position++) {
      int slot = queue.get(position);
      if (isLong(slot) && sharedOutBytes[slot] < sends.lengthBytes(slot)) {
        return slot;
      }
    }
    throw new IllegalStateException(restBytes + " bytes are left of no message");
  }

  private void post(Rail rail, int slot, long offsetBytes, int lengthBytes) {
    int nic = rail.endpoint().nic().index();
    RmaTransfer gather = rma.gatherAt(slot);
    int piece = gather == null ? 0 : gather.pieceAt(offsetBytes);
    MeshMemory memory = gather == null ? core.requests.memory(slot) : gather.memoryOf(piece);
    long memoryOffsetBytes =
        gather == null ? offsetsBytes[slot] + offsetBytes : gather.offsetBytes(piece, offsetBytes);
    int receive = sends.receive(slot);
    carriers[slot] |= rail.bit();
    int errno =
        rail.endpoint()
            .addPart(
                slot,
                memory.keys(nic),
                memory.address(nic) + memoryOffsetBytes,
                lengthBytes,
                advertised.address(receive, rail.peerNic()) + offsetBytes,
                advertised.key(receive, rail.peerNic()));
    core.check(rail.endpoint(), errno == 0 ? rail.endpoint().postParts() : errno, "a message");
  }

  /** The peer's device has the oldest chunk under way on a rail, which is of this message. */
  void completed(Rail rail, int slot) {
    RailWindow window = scheduler.window(rail);
    acknowledgedBytes[slot] += window.inFlight().lengthBytes();
    long nowNs = System.nanoTime();
    window.acknowledged(nowNs);
    scheduler.answered(rail, nowNs);
  }

  /** The peer has answered on a rail. */
  void answered(Rail rail) {
    scheduler.answered(rail, System.nanoTime());
  }

  /**
   * Whether the peer may be notified of a long message: every chunk is acknowledged, on rails that
   * are live, and nothing of it was under way on a rail that the peer may still receive from.
   */
  boolean isAcknowledged(int slot) {
    return acknowledgedBytes[slot] == sends.lengthBytes(slot)
        && lostCarriers[slot] == 0
        && rails.rails().areLive(carriers[slot]);
  }

  /**
   * Notifies the peer, on each rail beside the primary that carried parts of a message, that they
   * are in memory: once, also if the message's NOTICE has to be sent again. NOTICE speaks for what
   * went over the primary, behind which it comes.
   *
   * @return bits of these rails
   */
  long sendPlacements(int slot) {
    if (!placementsSent.contains(slot)) {
      placementsSent.add(slot);
      carriers[slot] &= ~rails.primary().bit();
      for (int i = 0; i < rails.rails().size(); i++) {
        Rail rail = rails.rails().get(i);
        if ((carriers[slot] & rail.bit()) != 0) {
          int errno = rail.endpoint().addPlacement(slot, ImmediateData.placed(sends.receive(slot)));
          core.check(
              rail.endpoint(), errno == 0 ? rail.endpoint().postParts() : errno, "a message");
        }
      }
    }
    return carriers[slot];
  }

  /** A rail is lost: what was under way on it goes over others. */
  void lost(Rail rail) {
    // What has arrived over it is there for certain only when the receiver's end of it is gone.
    for (int slot = 0; slot < carriers.length; slot++) {
      lostCarriers[slot] |= carriers[slot] & rail.bit();
      carriers[slot] &= ~rail.bit();
    }
    ChunkQueue underWay = scheduler.window(rail).inFlight();
    while (underWay.size() > 0) {
      restBytes += underWay.lengthBytes();
      again.add(underWay.slot(), underWay.offsetBytes(), underWay.lengthBytes());
      underWay.remove();
    }
  }

  /** The receiver's end of a lost rail is gone. */
  void goneAtPeer(long rail) {
    for (int slot = 0; slot < lostCarriers.length; slot++) {
      lostCarriers[slot] &= ~rail;
    }
  }

  /**
   * Fails a rail on which chunks are stuck, so that they go over others, while these wait for
   * nothing else. They must not come late, in memory that the receiver's user has again, so the
   * rail is lost with them. One that is late is probed first.
   */
  void failStuck() {
    Rail primary = rails.primary();
    long nowNs = System.nanoTime();
    RailWindow stuck = scheduler.stuck(primary, nowNs);
    if (stuck != null) {
      stuck
          .rail()
          .fail(ChannelFailures.stuck(core.route, stuck.stuckNs(nowNs), stuck.inFlightBytes()));
    } else if (scheduler.isAnyLate(primary, nowNs)) {
      rails.sendKeepalive(primary);
    }
  }

  /** Whether chunks are under way on another rail than the primary. */
  boolean isAnyBesidePrimary() {
    return scheduler.isAnyBeside(rails.primary());
  }

  /** The rail with most to do, by time; the primary if none has anything to do. */
  Rail busiest() {
    return scheduler.busiest(rails.primary());
  }
}
