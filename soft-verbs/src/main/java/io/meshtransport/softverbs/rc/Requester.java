// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.rc;

import io.meshtransport.softverbs.frame.FrameHeader;
import io.meshtransport.softverbs.frame.FrameType;
import io.meshtransport.softverbs.frame.PayloadViews;
import io.meshtransport.softverbs.frame.SoftLimits;
import io.meshtransport.verbs.Access;
import io.meshtransport.verbs.CompletionStatus;
import io.meshtransport.verbs.ReadyToSendAttributes;
import io.meshtransport.verbs.SendFlags;
import io.meshtransport.verbs.SendOpcode;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The sending half of a queue pair: cuts posted requests into frames, completes them in order as
 * the peer answers, and goes back when the peer had no receive (InfiniBand 1.4 chapter 9).
 *
 * <pre>
 *    head          next         tail
 *  ----+-------------+------------+----> slots of the send queue
 *      | on the wire | not begun  |
 * </pre>
 *
 * Guarded by the device's lock.
 */
final class Requester {
  /** The value of rnr_retry that means to try for ever (man ibv_modify_qp). */
  private static final int ENDLESS = 7;

  /** The most requests that leave together: more would not make a write cheaper. */
  private static final int MAX_COALESCED = 32;

  /**
   * The longest of them. A longer one fills a segment of the kernel's by itself: TCP hands down up
   * to 64 KiB at once (man 8 ethtool, tcp-segmentation-offload), which costs about as much as a
   * message of 64 bytes does.
   */
  private static final int MAX_COALESCED_BYTES = 32 << 10;

  private final RcEngine engine;
  private final SendQueue queue;

  /** The value an atomic found, on its way to local memory. */
  private final ByteBuffer result = ByteBuffer.allocate(8).order(ByteOrder.nativeOrder());

  private final PayloadViews resultTarget = new PayloadViews();

  /** The next slot to put on the wire, and how many bytes of it are there already. */
  private long next;

  private int nextOffset;

  /** Everything before this slot has been carried out by the peer. */
  private long acknowledged;

  /** The peer owes an answer to everything before this slot. */
  private long ackRequestedUpTo;

  /** Whether {@link #acknowledged} was behind that when the stream was told last. */
  private boolean isAnswerDue;

  /** Reads and atomics between head and next whose response is not complete. */
  private int unanswered;

  /** The request that the piece of a response that is arriving is for, or null. */
  private SendRequest responding;

  /** The clock reading before which nothing is sent, while {@link #isWaitingForReceive}. */
  private long resumeNs;

  private boolean isWaitingForReceive;

  /** The request at {@link #next} cannot be carried out: nothing may be sent any more. */
  private boolean isBlocked;

  private int firstSequence;
  private int maxReadAtomic;
  private int rnrRetry;

  Requester(RcEngine engine, SendQueue queue) {
    this.engine = engine;
    this.queue = queue;
  }

  /** From now on requests may be posted to be carried out; before, only to be flushed. */
  void start(ReadyToSendAttributes attributes) {
    firstSequence = attributes.sendPsn();
    maxReadAtomic = Math.min(attributes.maxReadAtomic(), SoftLimits.MAX_READ_ATOMIC);
    rnrRetry = attributes.rnrRetry();
  }

  boolean isIdle() {
    return queue.isEmpty();
  }

  boolean isWaitingForReceive() {
    return isWaitingForReceive;
  }

  long resumeNs() {
    return resumeNs;
  }

  /** The time after an RNR NAK is over. */
  void resume() {
    isWaitingForReceive = false;
  }

  /** Whether a request is not on the wire yet, or not all of it. */
  boolean hasNext() {
    return next != queue.tail() && !isBlocked && !isWaitingForReceive;
  }

  /**
   * Whether the last request may be coalesced with later ones: it is short, few wait, and the peer
   * owes answers, so the caller is still exchanging messages (RFC 896 does the same with segments),
   * or its flags say that no receiver waits for it. A lone message never waits, nor one whose
   * sender may not poll again.
   *
   * @param areAnswersDue to this queue pair, or to others whose frames leave with its own
   */
  boolean mayCoalesce(boolean areAnswersDue) {
    SendRequest last = queue.at(queue.tail() - 1);
    boolean isOneOfMany = areAnswersDue && !last.has(SendFlags.NO_DELAY);
    return (isOneOfMany || last.has(SendFlags.DEFERRABLE))
        && queue.tail() - next <= MAX_COALESCED
        && last.sges.totalBytes() <= MAX_COALESCED_BYTES;
  }

  /** The length of the last request. */
  int postedBytes() {
    return (int) queue.at(queue.tail() - 1).sges.totalBytes();
  }

  /** Fills in the next frame, if there is one to send. */
  boolean nextFrame(FrameHeader header, PayloadViews payload) {
    if (!hasNext()) {
      return false;
    }
    SendRequest request = queue.at(next);
    if (nextOffset == 0 && !mayBegin(request, header.maxPayloadBytes)) {
      return false;
    }
    header.set(typeOf(request), sequenceOf(next));
    if (!fill(request, header, payload)) {
      payload.clear();
      block(request, CompletionStatus.LOC_PROT_ERR);
      return false;
    }
    advance(request, header);
    return true;
  }

  private boolean mayBegin(SendRequest request, int maxPayloadBytes) {
    CompletionStatus failure = localFailure(request, maxPayloadBytes);
    if (failure != null) {
      block(request, failure);
      return false;
    }
    if (request.has(SendFlags.FENCE) && unanswered > 0) {
      return false;
    }
    return !request.awaitsResponse() || unanswered < maxReadAtomic;
  }

  private CompletionStatus localFailure(SendRequest request, int maxPayloadBytes) {
    if (request.sges.totalBytes() > SoftLimits.MAX_MESSAGE_BYTES) {
      return CompletionStatus.LOC_LEN_ERR;
    }
    if (request.awaitsResponse() && maxReadAtomic == 0) {
      return CompletionStatus.LOC_QP_OP_ERR;
    }
    // A request of one frame is checked when its views are acquired, just below.
    boolean isCheckedLater =
        request.has(SendFlags.INLINE)
            || !request.awaitsResponse() && request.sges.totalBytes() <= maxPayloadBytes;
    int access = request.awaitsResponse() ? Access.LOCAL_WRITE : 0;
    return isCheckedLater || request.sges.isPermitted(engine.keys(), engine.domain(), access)
        ? null
        : CompletionStatus.LOC_PROT_ERR;
  }

  private void block(SendRequest request, CompletionStatus failure) {
    request.localFailure = failure;
    isBlocked = true;
    completeFinished();
  }

  private static FrameType typeOf(SendRequest request) {
    if (request.isWrite()) {
      return FrameType.WRITE;
    }
    if (request.isAtomic()) {
      return FrameType.ATOMIC_REQUEST;
    }
    return request.opcode == SendOpcode.RDMA_READ ? FrameType.READ_REQUEST : FrameType.SEND;
  }

  private boolean fill(SendRequest request, FrameHeader header, PayloadViews payload) {
    header.remoteAddress = request.remoteAddress;
    header.remoteKey = request.remoteKey;
    header.messageBytes = (int) request.sges.totalBytes();
    header.offset = nextOffset;
    header.immediate = request.immediate;
    header.flags =
        (request.hasImmediate() ? FrameHeader.FLAG_IMMEDIATE : 0)
            | (request.has(SendFlags.SOLICITED) ? FrameHeader.FLAG_SOLICITED : 0)
            | (request.isSignaled() || next == 0 ? FrameHeader.FLAG_ACK_REQUEST : 0);
    if (request.isAtomic()) {
      fillOperands(request, header);
      return true;
    }
    return request.awaitsResponse() || fillPayload(request, header, payload);
  }

  private static void fillOperands(SendRequest request, FrameHeader header) {
    boolean isSwap = request.opcode == SendOpcode.ATOMIC_COMPARE_AND_SWAP;
    header.code = isSwap ? FrameHeader.CODE_COMPARE_AND_SWAP : 0;
    header.compareOrAdd = request.compareOrAdd;
    header.swap = request.swap;
  }

  private boolean fillPayload(SendRequest request, FrameHeader header, PayloadViews payload) {
    header.payloadBytes = Math.min(header.maxPayloadBytes, header.messageBytes - header.offset);
    if (request.has(SendFlags.INLINE)) {
      queue.addInlineView(next, header.payloadBytes, payload);
      return true;
    }
    return request.sges.addViews(
        engine.keys(), engine.domain(), 0, header.offset, header.payloadBytes, payload);
  }

  private void advance(SendRequest request, FrameHeader header) {
    if (request.awaitsResponse() || header.has(FrameHeader.FLAG_ACK_REQUEST)) {
      ackRequestedUpTo = next + 1;
      updateAnswerDue();
    }
    if (request.awaitsResponse()) {
      unanswered++;
    } else if (!header.isLast()) {
      nextOffset += header.payloadBytes;
      return;
    }
    nextOffset = 0;
    next++;
  }

  /** The peer has carried out every request up to and including this one. */
  void acknowledge(int sequence) {
    long slot = slotOf(sequence);
    if (slot < next) {
      acknowledged = Math.max(acknowledged, slot + 1);
      updateAnswerDue();
      completeFinished();
    }
  }

  /** The peer has refused this request for good, and carried out every one before it. */
  void refuse(int sequence, NakCode code) {
    acknowledge(sequence - 1);
    if (!queue.isEmpty()) {
      fail(code.status(), code.code());
    }
  }

  /** The peer has no receive for this request, and has carried out every one before it. */
  void retryLater(int sequence, int timerCode) {
    acknowledge(sequence - 1);
    long slot = slotOf(sequence);
    if (slot < queue.head() || slot > next || slot == queue.tail()) {
      return;
    }
    goBackTo(slot);
    SendRequest request = queue.at(slot);
    if (rnrRetry != ENDLESS && request.rnrCount == rnrRetry) {
      block(request, CompletionStatus.RNR_RETRY_EXC_ERR);
      return;
    }
    request.rnrCount++;
    isWaitingForReceive = true;
    resumeNs = engine.waitForReceive(RnrTimer.waitNs(timerCode));
  }

  private void goBackTo(long slot) {
    for (long i = slot; i < next; i++) {
      SendRequest request = queue.at(i);
      unanswered -= request.awaitsResponse() && !request.isAnswered ? 1 : 0;
      request.resetResponse();
    }
    next = slot;
    ackRequestedUpTo = Math.min(ackRequestedUpTo, slot);
    updateAnswerDue();
    nextOffset = 0;
    isBlocked = false;
  }

  /** The peer has received no request: from the oldest on they are sent again. */
  void startOver() {
    goBackTo(queue.head());
  }

  /** A piece of a read's response begins; its target is the request's local memory. */
  void beginReadResponse(FrameHeader header, PayloadViews target) {
    responding = awaiting(header.sequence);
    if (responding == null || !isNextPiece(responding, header)) {
      return;
    }
    if (!responding.sges.addViews(
        engine.keys(),
        engine.domain(),
        Access.LOCAL_WRITE,
        header.offset,
        header.payloadBytes,
        target)) {
      target.clear();
      responding.localFailure = CompletionStatus.LOC_PROT_ERR;
    }
  }

  private static boolean isNextPiece(SendRequest request, FrameHeader header) {
    return !request.isAtomic()
        && request.responseBytes == header.offset
        && header.messageBytes == request.sges.totalBytes();
  }

  /** The memory of the response that is arriving was closed. */
  void onMemoryClosed() {
    if (responding != null) {
      responding.localFailure = CompletionStatus.LOC_PROT_ERR;
    }
  }

  void endReadResponse(FrameHeader header) {
    // The request may have been flushed while the piece came.
    SendRequest request = responding == awaiting(header.sequence) ? responding : null;
    responding = null;
    if (request == null) {
      return;
    }
    if (!isNextPiece(request, header)) {
      request.localFailure = CompletionStatus.BAD_RESP_ERR;
      answer(request, header.sequence);
      return;
    }
    request.responseBytes += header.payloadBytes;
    if (header.isLast()) {
      answer(request, header.sequence);
    }
  }

  void atomicResponse(FrameHeader header) {
    SendRequest request = awaiting(header.sequence);
    if (request == null) {
      return;
    }
    if (!request.isAtomic()) {
      request.localFailure = CompletionStatus.BAD_RESP_ERR;
      answer(request, header.sequence);
      return;
    }
    result.clear().putLong(header.remoteAddress).flip();
    if (request.sges.addViews(
        engine.keys(), engine.domain(), Access.LOCAL_WRITE, 0, Long.BYTES, resultTarget)) {
      resultTarget.copyFrom(result);
    } else {
      request.localFailure = CompletionStatus.LOC_PROT_ERR;
    }
    resultTarget.clear();
    answer(request, header.sequence);
  }

  /** The request of a response, or null if no such request awaits one. */
  private SendRequest awaiting(int sequence) {
    long slot = slotOf(sequence);
    if (slot < queue.head() || slot >= next) {
      return null;
    }
    SendRequest request = queue.at(slot);
    return request.awaitsResponse() && !request.isAnswered ? request : null;
  }

  private void answer(SendRequest request, int sequence) {
    request.isAnswered = true;
    unanswered--;
    // A response implies, as an acknowledgement does, that every request before was carried out.
    acknowledge(sequence);
  }

  /**
   * The peer is gone: the oldest request fails with that, the others are flushed.
   *
   * @param peerLoss why, as the vendor error
   */
  void giveUp(int peerLoss) {
    fail(CompletionStatus.RETRY_EXC_ERR, peerLoss);
  }

  /** Completes everything outstanding with WR_FLUSH_ERR, in order. */
  void flush() {
    while (!queue.isEmpty()) {
      complete(CompletionStatus.WR_FLUSH_ERR, engine.peerLoss());
    }
    next = queue.tail();
    nextOffset = 0;
    unanswered = 0;
    isWaitingForReceive = false;
    acknowledged = next;
    updateAnswerDue();
  }

  private void updateAnswerDue() {
    boolean isDue = acknowledged < ackRequestedUpTo;
    if (isDue != isAnswerDue) {
      isAnswerDue = isDue;
      engine.answerDue(isDue);
    }
  }

  /** Completes the requests that have ended, in order. */
  private void completeFinished() {
    while (queue.head() < next) {
      SendRequest request = queue.oldest();
      boolean hasEnded =
          request.awaitsResponse() ? request.isAnswered : queue.head() < acknowledged;
      if (!hasEnded) {
        return;
      }
      if (request.localFailure != null) {
        fail(request.localFailure, 0);
        return;
      }
      complete(CompletionStatus.SUCCESS, 0);
    }
    if (isBlocked) {
      fail(queue.oldest().localFailure, 0);
    }
  }

  private void fail(CompletionStatus status, int vendorError) {
    complete(status, vendorError);
    engine.fail();
  }

  private void complete(CompletionStatus status, int vendorError) {
    long slot = queue.head();
    SendRequest request = queue.oldest();
    queue.complete();
    if (status != CompletionStatus.SUCCESS || request.isSignaled()) {
      engine.sendCompletions().addSend(engine.number(), queue, slot, request, status, vendorError);
    }
  }

  private int sequenceOf(long slot) {
    return firstSequence + (int) slot;
  }

  /** The slot of a sequence number, which may lie before head or after tail. */
  private long slotOf(int sequence) {
    return queue.head() + (sequence - sequenceOf(queue.head()));
  }
}
