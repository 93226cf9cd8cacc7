// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.message;

import io.meshtransport.spi.SendMode;
import io.meshtransport.transport.channel.ChannelCore;
import io.meshtransport.transport.channel.Goodbye;
import io.meshtransport.transport.channel.SlotFifo;
import io.meshtransport.transport.channel.TableGrowth;
import io.meshtransport.transport.endpoint.ImmediateData;
import io.meshtransport.transport.endpoint.MeshEndpoint;
import io.meshtransport.transport.endpoint.UnsignaledSends;
import io.meshtransport.transport.endpoint.WorkRequestId;
import io.meshtransport.transport.memory.MeshMemory;
import io.meshtransport.verbs.MemoryRegion;
import io.meshtransport.verbs.SendFlags;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Sends over one endpoint. A message goes to its receive by RDMA WRITE, cut into parts where it is
 * longer than one work request may be; the last part carries an {@link ImmediateData}. A gathered
 * message is written piece by piece, and WRITTEN follows.
 */
final class OneRailSendQueue implements MessageSendQueue {
  private final ChannelCore core;
  private final ControlPath control;
  private MeshEndpoint endpoint;
  private final AdvertisedReceives advertised;
  private final SendRequests sends;
  private final RmaOperations rma;
  private final long partBytes;

  /** Matched, and not posted whole, oldest first. */
  private final SlotFifo queue = new SlotFifo();

  private MemoryRegion[] regions = new MemoryRegion[TableGrowth.FIRST];
  private long[] addresses = new long[TableGrowth.FIRST];
  private long[] postedBytes = new long[TableGrowth.FIRST];
  private long[] offsetsBytes = new long[TableGrowth.FIRST];
  private long[] remoteOffsetsBytes = new long[TableGrowth.FIRST];
  private long[] remoteAddresses = new long[TableGrowth.FIRST];
  private int[] remoteKeys = new int[TableGrowth.FIRST];
  private final UnsignaledSends unsignaled;
  private final NoticeCredit credit;
  private int freePosts;
  private boolean isSelective;
  private int delayFlag;

  /** Of the NICs at which the peer advertises its receives, the one that the endpoint leads to. */
  private int peerNic;

  /**
   * @param credit for puts with a notice
   * @param partBytes longest message of one work request that both ends can do
   */
  OneRailSendQueue(
      ChannelCore core,
      ControlPath control,
      AdvertisedReceives advertised,
      SendRequests sends,
      RmaOperations rma,
      NoticeCredit credit,
      long partBytes) {
    this.core = core;
    this.control = control;
    this.endpoint = control.primary();
    this.advertised = advertised;
    this.sends = sends;
    this.rma = rma;
    this.credit = credit;
    this.partBytes = partBytes;
    freePosts = endpoint.depths().dataDepth();
    unsignaled = new UnsignaledSends(freePosts, freePosts);
  }

  @Override
  public void grow(int slots) {
    regions = Arrays.copyOf(regions, slots);
    addresses = Arrays.copyOf(addresses, slots);
    postedBytes = Arrays.copyOf(postedBytes, slots);
    offsetsBytes = Arrays.copyOf(offsetsBytes, slots);
    remoteOffsetsBytes = Arrays.copyOf(remoteOffsetsBytes, slots);
    remoteAddresses = Arrays.copyOf(remoteAddresses, slots);
    remoteKeys = Arrays.copyOf(remoteKeys, slots);
  }

  @Override
  public void begin(int slot, MeshMemory memory, long offsetBytes) {
    int nic = endpoint.nic().index();
    regions[slot] = memory.keys(nic);
    addresses[slot] = memory.address(nic) + offsetBytes;
    offsetsBytes[slot] = offsetBytes;
  }

  @Override
  public void beginGather(int slot) {
    // Its pieces know where they are.
  }

  @Override
  public void add(int slot) {
    if (sends.isTooLong(slot)) {
      sends.sendTooLong(slot);
      return;
    }
    remoteOffsetsBytes[slot] = advertised.nextOffsetBytes(sends.receive(slot));
    postedBytes[slot] = 0;
    locateReceive(slot);
    queue.add(slot);
  }

  private void locateReceive(int slot) {
    int receive = sends.receive(slot);
    remoteAddresses[slot] = advertised.address(receive, peerNic, remoteOffsetsBytes[slot]);
    remoteKeys[slot] = advertised.key(receive, peerNic);
    RmaTransfer gather = rma.gatherAt(slot);
    if (gather != null) {
      gather.to(remoteAddresses[slot], remoteKeys[slot]);
    }
  }

  @Override
  public void addTransfer(int slot) {
    queue.add(slot);
  }

  /** Parts of several messages go with one call, too. */
  @Override
  public void post() {
    while (queue.size() > 0 && freePosts > 0 && core.status.isReady()) {
      int slot = queue.get(0);
      RmaTransfer transfer = rma.at(slot);
      if (transfer != null) {
        if (!mayPost(transfer)) {
          break;
        }
        postTransfer(slot, transfer);
        continue;
      }
      long remaining = sends.lengthBytes(slot) - postedBytes[slot];
      freePosts--;
      if (remaining > partBytes) {
        unsignaled.addSignaled();
        core.check(writePart(slot), "a message");
      } else {
        queue.removeAt(0);
        core.check(addLastPart(slot), "a message");
      }
    }
    if (core.status.isLive()) {
      core.check(endpoint.postParts(), "a message");
    }
    if (unsignaled.isAnyUncovered()) {
      core.attendance.unsignaledPosted();
    }
  }

  /** The notice of a put needs a receive of the peer; what is behind it waits as well. */
  private boolean mayPost(RmaTransfer transfer) {
    return !transfer.hasNotice() || transfer.hasBegun() || credit.acquire();
  }

  /** The control message that it ends with, if any, goes with the last of its pieces. */
  private void postTransfer(int slot, RmaTransfer transfer) {
    boolean endsWithControl = transfer.endsWithControl();
    long before = transfer.requestsLeft();
    rma.add(endpoint, slot, freePosts, unsignaled, endsWithControl || mustSignal(slot));
    freePosts -= (int) (before - transfer.requestsLeft());
    boolean isWhole = transfer.requestsLeft() == 0;
    if (isWhole) {
      queue.removeAt(0);
    }
    if (isWhole && endsWithControl) {
      addControl(slot, transfer);
    }
    core.check(endpoint.postPieces(), transfer.isGather() ? "a message" : "a put or get");
  }

  private void addControl(int slot, RmaTransfer transfer) {
    if (transfer.isGather()) {
      sends.addWritten(slot);
    } else {
      sends.addPutNotice(slot, transfer.notice());
    }
  }

  private int writePart(int slot) {
    long at = postedBytes[slot];
    postedBytes[slot] += partBytes;
    return endpoint.addPart(
        slot,
        regions[slot],
        addresses[slot] + at,
        (int) partBytes,
        remoteAddresses[slot] + at,
        remoteKeys[slot]);
  }

  private int addLastPart(int slot) {
    boolean isSignaled = freePosts == 0 || mustSignal(slot);
    if (isSignaled) {
      unsignaled.addSignaled();
    } else {
      unsignaled.add(slot);
    }
    return writeLastPart(slot, isSignaled);
  }

  private int writeLastPart(int slot, boolean isSignaled) {
    return endpoint.addLastPart(
        slot,
        regions[slot],
        addresses[slot] + postedBytes[slot],
        (int) (sends.lengthBytes(slot) - postedBytes[slot]),
        remoteAddresses[slot] + postedBytes[slot],
        remoteKeys[slot],
        ImmediateData.of(sends.receive(slot), (int) (postedBytes[slot] / partBytes)),
        (isSignaled ? SendFlags.SIGNALED : 0) | delayFlag);
  }

  /** No caller can query a detached request, and a deadline passes whether one queries or not. */
  private boolean mustSignal(int slot) {
    return !isSelective
        || unsignaled.isSignalDue()
        || core.requests.hasDeadline(slot)
        || core.requests.isDetached(slot);
  }

  /**
   * What is matched, and not posted whole, goes over another rail; so does what {@link #postAgain}
   * posts.
   *
   * @param newPeerNic of the NICs at which the peer advertises its receives, the one it leads to
   */
  void switchTo(MeshEndpoint next, int newPeerNic) {
    endpoint = next;
    peerNic = newPeerNic;
    for (int position = 0; position < queue.size(); position++) {
      if (isMessage(queue.get(position))) {
        locateReceive(queue.get(position));
      }
    }
  }

  private boolean isMessage(int slot) {
    return rma.at(slot) == null || rma.gatherAt(slot) != null;
  }

  /** The memory of a pending message of one piece is reached by the rail of now. */
  void locate(int slot) {
    begin(slot, core.requests.memory(slot), offsetsBytes[slot]);
  }

  /** A part of a message, the last that was posted but for its last part, is to be posted again. */
  void unpostPart(int slot) {
    postedBytes[slot] -= partBytes;
  }

  /** As {@link RmaOperations#unpost}. */
  void unpostPiece(int slot) {
    rma.unpost(slot);
  }

  /** Posts a work request once more, on another rail; what it covers stays the same. */
  void postAgain(int kind, int slot, boolean isSignaled) {
    switch (kind) {
      case WorkRequestId.REPORT ->
          core.check(endpoint.sendReport(isSignaled), "asking what has arrived");
      case WorkRequestId.PART, WorkRequestId.LAST_PART -> {
        locateReceive(slot);
        int errno = kind == WorkRequestId.PART ? writePart(slot) : writeLastPart(slot, isSignaled);
        core.check(errno == 0 ? endpoint.postParts() : errno, "a message");
      }
      case WorkRequestId.PIECE, WorkRequestId.LAST_PIECE -> {
        if (rma.gatherAt(slot) != null) {
          locateReceive(slot);
        }
        core.check(rma.postAgain(endpoint, kind, slot, isSignaled), "a put or get");
      }
      default -> throw new IllegalStateException("a work request of kind " + kind);
    }
  }

  /** A put or get has failed: nothing of it is posted any more, and nothing ends it. */
  void abandon(int slot) {
    queue.remove(slot);
    unsignaled.forget(slot);
  }

  @Override
  public void completed(MeshEndpoint from, int kind, int slot) {
    freePosts++;
    for (int left = unsignaled.completed(); left > 0; left--) {
      int before = unsignaled.nextCompleted();
      freePosts++;
      if (before != UnsignaledSends.NONE) {
        sends.succeed(before);
      }
    }
    if (kind == WorkRequestId.LAST_PART || kind == WorkRequestId.LAST_PIECE) {
      sends.succeed(slot);
    }
  }

  @Override
  public void controlDelivered(int slot) {
    if (sends.isTooLong(slot)) {
      sends.failTooLong(slot);
    } else {
      // WRITTEN, behind all pieces of a gathered message, or PUT_NOTICE behind those of a put.
      sends.succeed(slot);
    }
  }

  @Override
  public void announcementRead() {
    // The peer never needs to know, for no announcement is sent again.
  }

  @Override
  public boolean controlReceived(int kind, ByteBuffer message, int at, int lengthBytes) {
    return false;
  }

  @Override
  public int size() {
    return queue.size();
  }

  @Override
  public void remove(int slot) {
    queue.remove(slot);
  }

  @Override
  public void queried(int slot) {
    if (unsignaled.isUncovered(slot)) {
      requestReport();
    }
  }

  @Override
  public boolean awaitsReport() {
    return unsignaled.isAnyUncovered();
  }

  /** Sends nothing, so that its completion reports how far everything before it has come. */
  @Override
  public void requestReport() {
    if (unsignaled.isAnyUncovered() && freePosts > 0 && core.status.isLive()) {
      freePosts--;
      unsignaled.addSignaled();
      core.check(endpoint.sendReport(true), "asking what has arrived");
    }
  }

  @Override
  public void closing() {
    requestReport();
  }

  @Override
  public boolean sendGoodbye(Goodbye goodbye) {
    return control.sendGoodbye(goodbye);
  }

  @Override
  public void sendMode(SendMode mode) {
    isSelective = mode != SendMode.LATENCY;
    delayFlag = MessageSendQueue.delayFlag(mode);
  }
}
