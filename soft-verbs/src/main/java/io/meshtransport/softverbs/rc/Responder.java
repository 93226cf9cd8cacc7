// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.rc;

import io.meshtransport.softverbs.frame.FrameHeader;
import io.meshtransport.softverbs.frame.FrameType;
import io.meshtransport.softverbs.frame.PayloadViews;
import io.meshtransport.verbs.Access;
import io.meshtransport.verbs.CompletionStatus;
import io.meshtransport.verbs.ReadyToReceiveAttributes;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The receiving half of a queue pair: carries out the peer's requests in order, each once, checks
 * its rights, and answers (InfiniBand 1.4 chapter 9). Guarded by the device's lock.
 */
final class Responder {
  private final RcEngine engine;
  private final ReceiveQueue queue;
  private final PayloadViews operand = new PayloadViews();
  private ResponseQueue responses = new ResponseQueue(1);
  private int access;
  private int rnrTimer;
  private ResponderState state = ResponderState.CLOSED;

  /** The request that comes next, and how much of it has come. */
  private int expected;

  private int expectedOffset;

  /** The first piece of the request under way: every further piece must agree with it. */
  private final FrameHeader begun = new FrameHeader();

  /** Whether the frame that is arriving is part of {@link #expected}. */
  private boolean isAccepting;

  /**
   * The region that the first frame of a write names, if it may be accessed; while that frame
   * begins.
   */
  private SoftMemoryRegion writeRegion;

  private boolean owesAck;
  private boolean owesRnrNak;
  private NakCode owedNak;

  Responder(RcEngine engine, ReceiveQueue queue) {
    this.engine = engine;
    this.queue = queue;
  }

  /** From now on the peer's requests are carried out. */
  void start(ReadyToReceiveAttributes attributes, int newAccess) {
    responses = new ResponseQueue(Math.max(1, attributes.maxReadAtomic()));
    access = newAccess;
    expected = attributes.receivePsn();
    rnrTimer = attributes.minRnrTimer();
    become(ResponderState.ACCEPTING);
  }

  /** A piece of a request begins. */
  void beginRequest(FrameHeader header, PayloadViews target) {
    isAccepting = false;
    if (state == ResponderState.REFUSING || state == ResponderState.CLOSED) {
      return;
    }
    if (header.sequence != expected || header.offset != expectedOffset) {
      if (state == ResponderState.ACCEPTING) {
        refuse(NakCode.PSN_SEQUENCE);
      }
      return;
    }
    if (state == ResponderState.DISCARDING) {
      become(ResponderState.ACCEPTING);
    }
    isAccepting = header.offset > 0 ? mayGoOn(header) : mayBegin(header);
    if (isAccepting && header.payloadBytes > 0 && !addViews(header, target)) {
      target.clear();
      isAccepting = false;
    }
    // Memory that is closed must not stay reachable through a queue pair that is idle.
    writeRegion = null;
  }

  /** Rights, lengths and the receive were checked for the first piece, and only for it. */
  private boolean mayGoOn(FrameHeader header) {
    return header.isOfSameRequest(begun) || refuse(NakCode.INVALID_REQUEST);
  }

  private boolean mayBegin(FrameHeader header) {
    return switch (header.type) {
      case SEND -> mayBeginSend(header);
      case WRITE -> mayBeginWrite(header);
      case READ_REQUEST -> mayAccess(header, Access.REMOTE_READ, header.messageBytes);
      case ATOMIC_REQUEST -> mayBeginAtomic(header);
      default -> false;
    };
  }

  private boolean mayBeginSend(FrameHeader header) {
    if (!hasReceive()) {
      return false;
    }
    ReceiveRequest receive = queue.oldest();
    if (header.messageBytes > receive.sges.totalBytes()) {
      completeReceive(CompletionStatus.LOC_LEN_ERR, header);
      return refuse(NakCode.INVALID_REQUEST);
    }
    if (!receive.sges.isPermitted(engine.keys(), engine.domain(), Access.LOCAL_WRITE)) {
      completeReceive(CompletionStatus.LOC_PROT_ERR, header);
      return refuse(NakCode.REMOTE_OPERATION);
    }
    return true;
  }

  private boolean mayBeginWrite(FrameHeader header) {
    return mayAccess(header, Access.REMOTE_WRITE, header.messageBytes)
        && (!header.has(FrameHeader.FLAG_IMMEDIATE) || hasReceive());
  }

  private boolean mayBeginAtomic(FrameHeader header) {
    if ((header.remoteAddress & Long.BYTES - 1) != 0) {
      return refuse(NakCode.INVALID_REQUEST);
    }
    return mayAccess(header, Access.REMOTE_ATOMIC, Long.BYTES);
  }

  private boolean mayAccess(FrameHeader header, int wanted, int bytes) {
    if ((access & wanted) == 0 || header.type != FrameType.WRITE && responses.isFull()) {
      return refuse(NakCode.INVALID_REQUEST);
    }
    // A request of no bytes touches no memory, so its key is not checked.
    SoftMemoryRegion region = bytes == 0 ? null : region(header, bytes, wanted);
    writeRegion = header.type == FrameType.WRITE ? region : null;
    return bytes == 0 || region != null || refuse(NakCode.REMOTE_ACCESS);
  }

  private SoftMemoryRegion region(FrameHeader header, int bytes, int wanted) {
    return engine
        .keys()
        .findRemote(header.remoteKey, engine.domain(), header.remoteAddress, bytes, wanted);
  }

  private boolean hasReceive() {
    if (!queue.isEmpty()) {
      return true;
    }
    become(ResponderState.DISCARDING);
    owesRnrNak = true;
    return false;
  }

  private boolean addViews(FrameHeader header, PayloadViews target) {
    return header.type == FrameType.WRITE
        ? addRegionViews(header, target)
        : addReceiveViews(header, target);
  }

  private boolean addRegionViews(FrameHeader header, PayloadViews target) {
    // The first frame was checked a moment ago; before the next the region may have been closed.
    SoftMemoryRegion region =
        header.offset == 0 ? writeRegion : region(header, header.messageBytes, Access.REMOTE_WRITE);
    if (region == null) {
      return refuse(NakCode.REMOTE_ACCESS);
    }
    region.addViews(header.remoteAddress + header.offset, header.payloadBytes, target);
    return true;
  }

  private boolean addReceiveViews(FrameHeader header, PayloadViews target) {
    SgeList sges = queue.oldest().sges;
    if (sges.addViews(
        engine.keys(),
        engine.domain(),
        Access.LOCAL_WRITE,
        header.offset,
        header.payloadBytes,
        target)) {
      return true;
    }
    completeReceive(CompletionStatus.LOC_PROT_ERR, header);
    return refuse(NakCode.REMOTE_OPERATION);
  }

  /** The memory of the piece that is arriving was closed. */
  void onMemoryClosed(FrameHeader header) {
    if (!isAccepting) {
      return;
    }
    isAccepting = false;
    if (header.type == FrameType.WRITE) {
      refuse(NakCode.REMOTE_ACCESS);
    } else {
      completeReceive(CompletionStatus.LOC_PROT_ERR, header);
      refuse(NakCode.REMOTE_OPERATION);
    }
  }

  /** The piece has come in full. */
  void endRequest(FrameHeader header) {
    if (!isAccepting || state != ResponderState.ACCEPTING) {
      return;
    }
    if (header.type == FrameType.READ_REQUEST) {
      responses.addRead(header);
    } else if (header.type == FrameType.ATOMIC_REQUEST) {
      carryOutAtomic(header);
    } else if (!header.isLast()) {
      expectedOffset += header.payloadBytes;
      begun.copyRequest(header);
      return;
    } else {
      finishMessage(header);
    }
    expected++;
    expectedOffset = 0;
  }

  private void finishMessage(FrameHeader header) {
    // Requests without the flag are acknowledged together with the next that has it.
    owesAck |= header.has(FrameHeader.FLAG_ACK_REQUEST);
    if (header.type == FrameType.SEND || header.has(FrameHeader.FLAG_IMMEDIATE)) {
      completeReceive(CompletionStatus.SUCCESS, header);
    }
  }

  /** The peer has waited, and requests an acknowledgement of what was carried out. */
  void onProbe() {
    owesAck |= state == ResponderState.ACCEPTING || state == ResponderState.DISCARDING;
  }

  private void carryOutAtomic(FrameHeader header) {
    region(header, Long.BYTES, Access.REMOTE_ATOMIC)
        .addViews(header.remoteAddress, Long.BYTES, operand);
    if (operand.size() == 1) {
      responses.addAtomic(header, exchange(header, operand.get(0)));
    } else {
      // Eight bytes across two buffers are not one place in memory.
      refuse(NakCode.REMOTE_OPERATION);
    }
    operand.clear();
  }

  /** Atomic towards every queue pair of the device, since the device's lock is held. */
  private static long exchange(FrameHeader header, ByteBuffer place) {
    place.order(ByteOrder.nativeOrder());
    long found = place.getLong(place.position());
    long stored =
        header.code != FrameHeader.CODE_COMPARE_AND_SWAP
            ? found + header.compareOrAdd
            : found == header.compareOrAdd ? header.swap : found;
    place.putLong(place.position(), stored);
    return found;
  }

  boolean owesAck() {
    return owesAck;
  }

  /** Whether anything but an acknowledgement is owed. */
  boolean owesMore() {
    return owesRnrNak || owedNak != null || !responses.isEmpty();
  }

  /** Fills in the next answer, if one is owed. */
  boolean nextAnswer(FrameHeader header) {
    if (owesAck) {
      owesAck = false;
      header.set(FrameType.ACK, expected - 1);
      return true;
    }
    if (owesRnrNak) {
      owesRnrNak = false;
      header.set(FrameType.RNR_NAK, expected).code = rnrTimer;
      return true;
    }
    if (owedNak != null && responses.isEmpty()) {
      header.set(FrameType.NAK, expected).code = owedNak.code();
      owedNak = null;
      return true;
    }
    return false;
  }

  /** Fills in the next piece of a response, if one is owed. */
  boolean nextResponse(FrameHeader header, PayloadViews payload) {
    if (responses.isEmpty()) {
      return false;
    }
    responses.fill(header);
    if (header.payloadBytes > 0) {
      SoftMemoryRegion region = responses.region(engine);
      if (region == null) {
        responses.clear();
        expected = header.sequence;
        refuse(NakCode.REMOTE_ACCESS);
        return nextAnswer(header);
      }
      region.addViews(responses.address(), header.payloadBytes, payload);
    }
    responses.advance(header);
    return true;
  }

  /** Completes every posted receive with WR_FLUSH_ERR, in order; carries out nothing any more. */
  void flush() {
    if (state != ResponderState.REFUSING) {
      become(ResponderState.REFUSING);
    }
    while (!queue.isEmpty()) {
      completeReceive(CompletionStatus.WR_FLUSH_ERR, null);
    }
    if (owedNak == null) {
      responses.clear();
    }
  }

  /** Always false, so that checks can end with it. */
  private boolean refuse(NakCode code) {
    if (state != ResponderState.REFUSING) {
      become(ResponderState.REFUSING);
      owedNak = code;
      engine.refused(code);
    }
    return false;
  }

  private void become(ResponderState next) {
    if (!state.mayBecome(next)) {
      throw new IllegalStateException("a responder cannot go from " + state + " to " + next);
    }
    state = next;
  }

  private void completeReceive(CompletionStatus status, FrameHeader last) {
    long slot = queue.head();
    ReceiveRequest request = queue.oldest();
    queue.complete();
    int vendorError = last == null ? engine.peerLoss() : 0;
    engine
        .receiveCompletions()
        .addReceive(engine.number(), queue, slot, request, status, last, vendorError);
  }
}
