// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.rc;

import static io.meshtransport.softverbs.rc.ScriptedQueuePair.SEND_PSN;
import static io.meshtransport.softverbs.rc.ScriptedQueuePair.frame;
import static io.meshtransport.softverbs.rc.ScriptedQueuePair.readResponse;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.softverbs.frame.FrameHeader;
import io.meshtransport.softverbs.frame.FrameType;
import io.meshtransport.softverbs.frame.PayloadViews;
import io.meshtransport.softverbs.frame.SoftLimits;
import io.meshtransport.verbs.Access;
import io.meshtransport.verbs.CompletionStatus;
import io.meshtransport.verbs.MemoryRegion;
import io.meshtransport.verbs.QueuePairState;
import io.meshtransport.verbs.SendChain;
import io.meshtransport.verbs.SendFlags;
import io.meshtransport.verbs.SendOpcode;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The sending half of a queue pair, frame by frame; the test plays the peer. */
class RequesterTest {
  private ScriptedQueuePair pair;

  @BeforeEach
  void connect() throws Exception {
    pair = ScriptedQueuePair.connected(1);
  }

  private void acknowledge(int request) {
    pair.stream.arrive(frame(FrameType.ACK, SEND_PSN + request));
  }

  private void refuse(int request, NakCode code) {
    FrameHeader header = frame(FrameType.NAK, SEND_PSN + request);
    header.code = code.code();
    pair.stream.arrive(header);
  }

  private void sendLater(int request) {
    FrameHeader header = frame(FrameType.RNR_NAK, SEND_PSN + request);
    header.code = 1;
    pair.stream.arrive(header);
  }

  /** The wait after an RNR NAK ends. */
  private void passRnrWait() {
    pair.network.nowNs += RnrTimer.waitNs(1);
    pair.engine().onTimer(pair.network.nowNs);
  }

  private List<String> sent() {
    return pair.outcomes(pair.sends);
  }

  private void expectFailed(String... outcomes) throws Exception {
    assertEquals(List.of(outcomes), sent());
    assertEquals(QueuePairState.ERR, pair.queuePair.state());
  }

  // Coalescing.

  @Test
  void shouldSendALoneMessageAtOnce() {
    pair.post(1, SendOpcode.SEND, 10);
    assertEquals(1, pair.stream.flushes);
    assertEquals(0, pair.stream.deferredFlushes);
  }

  @Test
  void shouldDeferAShortMessageWhileThePeerOwesAnAcknowledgement() {
    pair.post(1, SendOpcode.SEND, 10);
    pair.stream.fetch();
    pair.post(2, SendOpcode.SEND, 10);
    assertEquals(1, pair.stream.flushes);
    assertEquals(1, pair.stream.deferredFlushes);
    acknowledge(0);
    pair.stream.fetch();
    acknowledge(1);
    pair.post(3, SendOpcode.SEND, 10);
    assertEquals(2, pair.stream.flushes, "nothing is owed any more");
  }

  @Test
  void shouldDeferAShortMessageWhileAReadIsUnanswered() {
    pair.post(1, SendOpcode.RDMA_READ, 0, 8);
    pair.stream.fetch();
    pair.post(2, SendOpcode.SEND, 10);
    assertEquals(1, pair.stream.deferredFlushes);
  }

  @Test
  void shouldNotDeferWhereTheLastRequestWantsNoAcknowledgement() {
    pair.post(1, SendOpcode.SEND, 10);
    pair.stream.fetch();
    acknowledge(0);
    pair.post(2, SendOpcode.SEND, 0, 10);
    pair.stream.fetch();
    pair.post(3, SendOpcode.SEND, 0, 10);
    assertEquals(0, pair.stream.deferredFlushes);
  }

  @Test
  void shouldSendAtOnceWhatMustNotBeDelayed() {
    pair.post(1, SendOpcode.SEND, 10);
    pair.stream.fetch();
    pair.post(2, SendOpcode.SEND, SendFlags.SIGNALED | SendFlags.NO_DELAY, 10);
    assertEquals(2, pair.stream.flushes);
  }

  @Test
  void shouldDeferWhatNoReceiverWaitsFor() {
    pair.post(1, SendOpcode.RDMA_WRITE, SendFlags.DEFERRABLE, 10);
    assertEquals(0, pair.stream.flushes);
    assertEquals(1, pair.stream.deferredFlushes);
  }

  @Test
  void shouldDeferMessagesUpTo32KiB() {
    pair.post(1, SendOpcode.RDMA_WRITE, SendFlags.DEFERRABLE, 32 << 10);
    assertEquals(1, pair.stream.deferredFlushes);
    assertEquals(32 << 10, pair.stream.deferredBytes);
    pair.post(2, SendOpcode.RDMA_WRITE, SendFlags.DEFERRABLE, (32 << 10) + 1);
    assertEquals(1, pair.stream.deferredFlushes);
    assertEquals(1, pair.stream.flushes);
  }

  @Test
  void shouldSayWhileThePeerOwesAnAnswer() {
    pair.post(1, SendOpcode.SEND, 10);
    assertFalse(pair.stream.isAnswerDue, "nothing has left");
    pair.stream.fetch();
    assertTrue(pair.stream.isAnswerDue);
    pair.post(2, SendOpcode.SEND, 10);
    pair.stream.fetch();
    acknowledge(0);
    assertTrue(pair.stream.isAnswerDue, "the second is not acknowledged");
    acknowledge(1);
    assertFalse(pair.stream.isAnswerDue);
  }

  @Test
  void shouldAwaitNoAnswerOnceEverythingIsFlushed() {
    pair.post(1, SendOpcode.SEND, 10);
    pair.stream.fetch();
    pair.engine().fail();
    assertFalse(pair.stream.isAnswerDue);
  }

  @Test
  void shouldDeferUpTo32MessagesThatAreNotSentYet() {
    pair.post(0, SendOpcode.RDMA_WRITE, SendFlags.DEFERRABLE, 1);
    pair.stream.fetch();
    for (int i = 1; i <= 32; i++) {
      pair.post(i, SendOpcode.RDMA_WRITE, SendFlags.DEFERRABLE, 1);
    }
    assertEquals(33, pair.stream.deferredFlushes);
    assertEquals(0, pair.stream.flushes);
    pair.post(33, SendOpcode.RDMA_WRITE, SendFlags.DEFERRABLE, 1);
    assertEquals(1, pair.stream.flushes);
  }

  // What may be sent.

  @Test
  void shouldCutALongMessageIntoFrames() {
    pair.memory.put(5, (byte) 55);
    pair.post(1, SendOpcode.SEND, 6);
    ScriptedStream.Sent first = pair.stream.fetch(4);
    assertEquals(0, first.header().offset);
    assertEquals(4, first.payload().length);
    ScriptedStream.Sent second = pair.stream.fetch(4);
    assertEquals(4, second.header().offset);
    assertEquals(6, second.header().messageBytes);
    assertEquals(first.header().sequence, second.header().sequence);
    assertArrayEquals(new byte[] {0, 55}, second.payload());
    assertNull(pair.stream.fetch());
  }

  @Test
  void shouldSendNoMoreReadsThanThePeerServes() {
    pair.post(1, SendOpcode.RDMA_READ, 8);
    pair.post(2, SendOpcode.RDMA_READ, 8);
    pair.post(3, SendOpcode.SEND, 8);
    assertEquals(List.of(FrameType.READ_REQUEST), pair.fetchTypes());
    pair.stream.arrive(readResponse(SEND_PSN, 0, 8, 8), new byte[8]);
    assertEquals(List.of(FrameType.READ_REQUEST, FrameType.SEND), pair.fetchTypes());
  }

  @Test
  void shouldWaitAtAFenceForReadsOnly() throws Exception {
    pair = ScriptedQueuePair.connected(4);
    pair.post(1, SendOpcode.SEND, 8);
    pair.post(2, SendOpcode.SEND, SendFlags.SIGNALED | SendFlags.FENCE, 8);
    pair.post(3, SendOpcode.RDMA_READ, 8);
    pair.post(4, SendOpcode.SEND, 8);
    pair.post(5, SendOpcode.SEND, SendFlags.SIGNALED | SendFlags.FENCE, 8);
    assertEquals(
        List.of(FrameType.SEND, FrameType.SEND, FrameType.READ_REQUEST, FrameType.SEND),
        pair.fetchTypes());
    pair.stream.arrive(readResponse(SEND_PSN + 2, 0, 8, 8), new byte[8]);
    assertEquals(List.of(FrameType.SEND), pair.fetchTypes());
  }

  @Test
  void shouldFailReadsWhereNoneAreAgreedUpon() throws Exception {
    pair = ScriptedQueuePair.connected(0);
    pair.post(1, SendOpcode.SEND, 8);
    assertEquals(List.of(FrameType.SEND), pair.fetchTypes());
    acknowledge(0);
    assertEquals(List.of("1 SUCCESS"), sent());
    pair.post(2, SendOpcode.RDMA_READ, 8);
    assertNull(pair.stream.fetch());
    expectFailed("2 " + CompletionStatus.LOC_QP_OP_ERR);
  }

  @Test
  void shouldSendMessagesUpToTheLargestAndFailLongerOnes() throws Exception {
    ByteBuffer piece = ByteBuffer.allocateDirect(1 << 20);
    MemoryRegion large =
        pair.domain.registerAt(0, Collections.nCopies(1025, piece), Access.LOCAL_WRITE);
    int flags = SendFlags.SIGNALED;
    pair.post(1, SendOpcode.RDMA_READ, flags, 0, SoftLimits.MAX_MESSAGE_BYTES, large.localKey());
    assertEquals(SoftLimits.MAX_MESSAGE_BYTES, pair.stream.fetch().header().messageBytes);
    pair.post(2, SendOpcode.SEND, flags, 0, SoftLimits.MAX_MESSAGE_BYTES + 1, large.localKey());
    assertNull(pair.stream.fetch());
    FrameHeader wrong = readResponse(SEND_PSN, 0, 8, 8);
    pair.stream.arrive(wrong, new byte[8]);
    expectFailed("1 " + CompletionStatus.BAD_RESP_ERR, "2 " + CompletionStatus.WR_FLUSH_ERR);
  }

  @Test
  void shouldFailAMessageThatIsTooLong() throws Exception {
    ByteBuffer piece = ByteBuffer.allocateDirect(1 << 20);
    MemoryRegion large =
        pair.domain.registerAt(0, Collections.nCopies(1025, piece), Access.LOCAL_WRITE);
    pair.post(
        2,
        SendOpcode.SEND,
        SendFlags.SIGNALED,
        0,
        SoftLimits.MAX_MESSAGE_BYTES + 1,
        large.localKey());
    assertNull(pair.stream.fetch());
    expectFailed("2 " + CompletionStatus.LOC_LEN_ERR);
  }

  @Test
  void shouldNotSendAReadIntoMemoryThatMayNotBeWritten() throws Exception {
    MemoryRegion constant = pair.domain.register(ByteBuffer.allocateDirect(64), 0);
    pair.post(
        1, SendOpcode.RDMA_READ, SendFlags.SIGNALED, constant.address(), 8, constant.localKey());
    assertNull(pair.stream.fetch());
    expectFailed("1 " + CompletionStatus.LOC_PROT_ERR);
  }

  @Test
  void shouldSendFromMemoryThatMayNotBeWritten() throws Exception {
    MemoryRegion constant = pair.domain.register(ByteBuffer.allocateDirect(64), 0);
    pair.post(1, SendOpcode.SEND, SendFlags.SIGNALED, constant.address(), 8, constant.localKey());
    assertNotNull(pair.stream.fetch(4));
    assertNotNull(pair.stream.fetch(4));
  }

  @Test
  void shouldSendNothingOfAMessageWhoseEndIsNotRegistered() throws Exception {
    postWithUnregisteredEnd(SendOpcode.SEND);
    assertNull(pair.stream.fetch(4));
    expectFailed("1 " + CompletionStatus.LOC_PROT_ERR);
  }

  @Test
  void shouldSendNothingOfAShortMessageWhoseEndIsNotRegistered() throws Exception {
    postWithUnregisteredEnd(SendOpcode.SEND);
    assertNull(pair.stream.fetch());
    expectFailed("1 " + CompletionStatus.LOC_PROT_ERR);
  }

  /** Four bytes of the memory, then four that no key finds. */
  private void postWithUnregisteredEnd(SendOpcode opcode) {
    SendChain chain = pair.queuePair.newSendChain(1);
    chain.begin(1, opcode, SendFlags.SIGNALED);
    chain.sge(pair.region.address(), 4, pair.region.localKey());
    chain.sge(pair.region.address(), 4, pair.region.localKey() + 1);
    assertEquals(0, pair.queuePair.postSend(chain));
  }

  @Test
  void shouldSendInlinePayloadOfMemoryThatIsGone() throws Exception {
    MemoryRegion gone = pair.register(8);
    int flags = SendFlags.SIGNALED | SendFlags.INLINE;
    pair.post(1, SendOpcode.SEND, flags, gone.address(), 8, gone.localKey());
    gone.close();
    assertEquals(8, pair.stream.fetch().payload().length);
  }

  @Test
  void shouldFailAMessageBehindOthersOnlyAfterThem() throws Exception {
    pair.post(1, SendOpcode.SEND, 8);
    postWithUnregisteredEnd(SendOpcode.SEND);
    pair.post(3, SendOpcode.SEND, 8);
    assertEquals(List.of(FrameType.SEND), pair.fetchTypes());
    assertEquals(List.of(), sent());
    acknowledge(0);
    expectFailed(
        "1 SUCCESS", "1 " + CompletionStatus.LOC_PROT_ERR, "3 " + CompletionStatus.WR_FLUSH_ERR);
  }

  // Acknowledgements.

  @Test
  void shouldCompleteWhatIsAcknowledgedInOrder() {
    for (int i = 0; i < 4; i++) {
      pair.post(i, SendOpcode.SEND, 8);
    }
    pair.fetchTypes();
    acknowledge(1);
    assertEquals(List.of("0 SUCCESS", "1 SUCCESS"), sent());
    acknowledge(0);
    assertEquals(List.of(), sent());
    acknowledge(3);
    assertEquals(List.of("2 SUCCESS", "3 SUCCESS"), sent());
  }

  @Test
  void shouldIgnoreAcknowledgementsOfWhatWasNotSent() {
    pair.post(1, SendOpcode.SEND, 8);
    pair.post(2, SendOpcode.SEND, 8);
    pair.stream.fetch();
    acknowledge(1);
    assertEquals(List.of(), sent());
  }

  @Test
  void shouldCompleteWhatPrecedesARefusedRequest() throws Exception {
    pair.post(1, SendOpcode.SEND, 8);
    pair.post(2, SendOpcode.RDMA_WRITE, 8);
    pair.post(3, SendOpcode.SEND, 8);
    pair.fetchTypes();
    refuse(1, NakCode.REMOTE_ACCESS);
    expectFailed(
        "1 SUCCESS", "2 " + CompletionStatus.REM_ACCESS_ERR, "3 " + CompletionStatus.WR_FLUSH_ERR);
  }

  // The peer has no receive.

  @Test
  void shouldSendAgainFromTheRequestThatFoundNoReceive() {
    pair.post(1, SendOpcode.SEND, 8);
    pair.post(2, SendOpcode.SEND, 8);
    pair.post(3, SendOpcode.SEND, 8);
    pair.fetchTypes();
    sendLater(1);
    assertEquals(List.of("1 SUCCESS"), sent());
    assertNull(pair.stream.fetch(), "the wait is not over");
    passRnrWait();
    assertEquals(SEND_PSN + 1, pair.stream.fetch().header().sequence);
    assertEquals(SEND_PSN + 2, pair.stream.fetch().header().sequence);
  }

  @Test
  void shouldBeginAgainAMessageThatIsHalfSent() {
    pair.post(1, SendOpcode.SEND, 8);
    pair.stream.fetch(4);
    sendLater(0);
    passRnrWait();
    assertEquals(0, pair.stream.fetch(4).header().offset);
  }

  @Test
  void shouldIgnoreAnRnrNakForWhatIsNotOutstanding() {
    sendLater(0);
    pair.post(1, SendOpcode.SEND, 8);
    assertNotNull(pair.stream.fetch());
    acknowledge(0);
    sendLater(0);
    sendLater(2);
    pair.post(2, SendOpcode.SEND, 8);
    assertNotNull(pair.stream.fetch());
  }

  @Test
  void shouldSendReadsAgainAfterARequestThatFoundNoReceive() {
    pair.post(1, SendOpcode.SEND, 8);
    pair.post(2, SendOpcode.RDMA_READ, 8);
    pair.fetchTypes();
    sendLater(0);
    passRnrWait();
    assertEquals(List.of(FrameType.SEND, FrameType.READ_REQUEST), pair.fetchTypes());
  }

  @Test
  void shouldCountAnsweredReadsOnceWhenItGoesBack() throws Exception {
    pair = ScriptedQueuePair.connected(3);
    for (int i = 0; i < 3; i++) {
      pair.post(i, SendOpcode.RDMA_READ, 8);
    }
    pair.fetchTypes();
    pair.stream.arrive(readResponse(SEND_PSN + 2, 0, 8, 8), new byte[8]);
    sendLater(0);
    passRnrWait();
    assertEquals(Collections.nCopies(3, FrameType.READ_REQUEST), pair.fetchTypes());
    for (int i = 0; i < 3; i++) {
      pair.stream.arrive(readResponse(SEND_PSN + i, 0, 8, 8), new byte[8]);
    }
    assertEquals(List.of("0 SUCCESS", "1 SUCCESS", "2 SUCCESS"), sent());
  }

  @Test
  void shouldDiscardHalfAResponseWhenItGoesBack() {
    pair.post(1, SendOpcode.RDMA_READ, 8);
    pair.fetchTypes();
    pair.stream.arrive(readResponse(SEND_PSN, 0, 4, 8), new byte[4]);
    sendLater(0);
    passRnrWait();
    pair.fetchTypes();
    pair.stream.arrive(readResponse(SEND_PSN, 0, 8, 8), new byte[8]);
    assertEquals(List.of("1 SUCCESS"), sent());
  }

  @Test
  void shouldGiveUpAfterAsManyRetriesAsAgreed() throws Exception {
    pair = new ScriptedQueuePair();
    pair.toReadyToReceive(1);
    pair.toReadyToSend(1, 1);
    pair.post(1, SendOpcode.SEND, 8);
    pair.fetchTypes();
    sendLater(0);
    passRnrWait();
    pair.fetchTypes();
    assertEquals(List.of(), sent());
    sendLater(0);
    expectFailed("1 " + CompletionStatus.RNR_RETRY_EXC_ERR);
  }

  // Responses.

  @Test
  void shouldStoreAResponseInPieces() {
    pair.post(1, SendOpcode.RDMA_READ, 6);
    pair.fetchTypes();
    pair.stream.arrive(readResponse(SEND_PSN, 0, 4, 6), (byte) 1, (byte) 2, (byte) 3, (byte) 4);
    assertEquals(List.of(), sent());
    pair.stream.arrive(readResponse(SEND_PSN, 4, 2, 6), (byte) 5, (byte) 6);
    assertEquals(List.of("1 SUCCESS"), sent());
    assertArrayEquals(new byte[] {1, 2, 3, 4, 5, 6, 0}, pair.bytes(0, 7));
  }

  @Test
  void shouldCompleteWhatPrecedesAReadWithItsResponse() {
    pair.post(1, SendOpcode.RDMA_WRITE, 8);
    pair.post(2, SendOpcode.RDMA_READ, 8);
    pair.fetchTypes();
    pair.stream.arrive(readResponse(SEND_PSN + 1, 0, 8, 8), new byte[8]);
    assertEquals(List.of("1 SUCCESS", "2 SUCCESS"), sent());
  }

  @Test
  void shouldFailAReadWhoseResponseHasAGap() throws Exception {
    pair.post(1, SendOpcode.RDMA_READ, 8);
    pair.fetchTypes();
    assertEquals(0, pair.stream.arrive(readResponse(SEND_PSN, 4, 4, 8), new byte[4]));
    expectFailed("1 " + CompletionStatus.BAD_RESP_ERR);
  }

  @Test
  void shouldFailAReadWhoseResponseHasAnotherLength() throws Exception {
    pair.post(1, SendOpcode.RDMA_READ, 8);
    pair.fetchTypes();
    assertEquals(0, pair.stream.arrive(readResponse(SEND_PSN, 0, 4, 4), new byte[4]));
    expectFailed("1 " + CompletionStatus.BAD_RESP_ERR);
  }

  @Test
  void shouldFailAnAtomicThatIsAnsweredAsARead() throws Exception {
    postFetchAdd(1, 0);
    pair.fetchTypes();
    assertEquals(0, pair.stream.arrive(readResponse(SEND_PSN, 0, 8, 8), new byte[8]));
    expectFailed("1 " + CompletionStatus.BAD_RESP_ERR);
  }

  @Test
  void shouldFailAReadThatIsAnsweredAsAnAtomic() throws Exception {
    pair.post(1, SendOpcode.RDMA_READ, 8);
    pair.fetchTypes();
    answerAtomic(0, 5);
    expectFailed("1 " + CompletionStatus.BAD_RESP_ERR);
    assertEquals(0, pair.memory.get(0));
  }

  @Test
  void shouldIgnoreTheResponseToAReadThatWasNotSent() {
    pair.post(1, SendOpcode.RDMA_READ, 8);
    pair.post(2, SendOpcode.RDMA_READ, 8);
    pair.fetchTypes();
    assertEquals(0, pair.stream.arrive(readResponse(SEND_PSN + 1, 0, 8, 8), new byte[8]));
    assertEquals(0, pair.stream.arrive(readResponse(SEND_PSN - 1, 0, 8, 8), new byte[8]));
    pair.stream.arrive(readResponse(SEND_PSN, 0, 8, 8), new byte[8]);
    assertEquals(List.of("1 SUCCESS"), sent());
  }

  @Test
  void shouldIgnoreASecondResponse() throws Exception {
    pair = ScriptedQueuePair.connected(2);
    pair.post(1, SendOpcode.RDMA_READ, 8);
    pair.post(2, SendOpcode.RDMA_READ, 8);
    pair.fetchTypes();
    pair.stream.arrive(readResponse(SEND_PSN + 1, 0, 8, 8), new byte[8]);
    assertEquals(0, pair.stream.arrive(readResponse(SEND_PSN + 1, 0, 8, 8), new byte[8]));
    assertEquals(List.of(), sent());
  }

  @Test
  void shouldFailAReadWhoseMemoryIsClosedBeforeItsResponse() throws Exception {
    MemoryRegion gone = pair.register(4);
    SendChain chain = pair.queuePair.newSendChain(1);
    chain.begin(1, SendOpcode.RDMA_READ, SendFlags.SIGNALED);
    chain.sge(pair.region.address(), 4, pair.region.localKey());
    chain.sge(gone.address(), 4, gone.localKey());
    assertEquals(0, pair.queuePair.postSend(chain));
    pair.fetchTypes();
    gone.close();
    assertEquals(0, pair.stream.arrive(readResponse(SEND_PSN, 0, 8, 8), new byte[8]));
    expectFailed("1 " + CompletionStatus.LOC_PROT_ERR);
  }

  @Test
  void shouldFailAReadWhoseMemoryIsClosedWhileItsResponseComes() throws Exception {
    pair.post(1, SendOpcode.RDMA_READ, 8);
    pair.fetchTypes();
    FrameHeader piece = readResponse(SEND_PSN, 0, 8, 8);
    pair.stream.listener.beginFrame(piece, new PayloadViews());
    pair.stream.listener.onMemoryClosed(piece);
    pair.stream.listener.endFrame(piece);
    expectFailed("1 " + CompletionStatus.LOC_PROT_ERR);
  }

  @Test
  void shouldSurviveClosedMemoryOfAResponseThatNoRequestAwaits() throws Exception {
    FrameHeader piece = readResponse(SEND_PSN, 0, 8, 8);
    pair.stream.listener.beginFrame(piece, new PayloadViews());
    pair.stream.listener.onMemoryClosed(piece);
    pair.stream.listener.endFrame(piece);
    assertEquals(QueuePairState.RTS, pair.queuePair.state());
  }

  @Test
  void shouldStoreWhatAtomicsFound() {
    pair.memory.order(ByteOrder.nativeOrder());
    for (int i = 0; i < 3; i++) {
      postFetchAdd(i, 8 * i);
      ScriptedStream.Sent request = pair.stream.fetch();
      assertEquals(FrameType.ATOMIC_REQUEST, request.header().type);
      assertEquals(17, request.header().compareOrAdd);
      answerAtomic(i, 1000 + i);
      assertEquals(List.of(i + " SUCCESS"), sent());
      assertEquals(1000 + i, pair.memory.getLong(8 * i));
    }
  }

  @Test
  void shouldFailAnAtomicWhoseMemoryIsClosed() throws Exception {
    MemoryRegion gone = pair.register(8);
    pair.post(
        1, SendOpcode.ATOMIC_FETCH_AND_ADD, SendFlags.SIGNALED, gone.address(), 8, gone.localKey());
    pair.fetchTypes();
    gone.close();
    answerAtomic(0, 5);
    expectFailed("1 " + CompletionStatus.LOC_PROT_ERR);
  }

  private void postFetchAdd(long id, int at) {
    SendChain chain = pair.queuePair.newSendChain(1);
    chain.begin(id, SendOpcode.ATOMIC_FETCH_AND_ADD, SendFlags.SIGNALED);
    chain.sge(pair.region.address() + at, 8, pair.region.localKey());
    chain.atomic(17, 0);
    assertEquals(0, pair.queuePair.postSend(chain));
  }

  private void answerAtomic(int request, long found) {
    FrameHeader header = frame(FrameType.ATOMIC_RESPONSE, SEND_PSN + request);
    header.remoteAddress = found;
    pair.stream.arrive(header);
  }

  // The end.

  @Test
  void shouldCompleteUnsignaledRequestsOnlyWhereTheyFail() throws Exception {
    pair.post(1, SendOpcode.SEND, 0, 8);
    pair.post(2, SendOpcode.SEND, 0, 8);
    pair.fetchTypes();
    acknowledge(0);
    assertEquals(List.of(), sent());
    pair.queuePair.toError();
    expectFailed("2 " + CompletionStatus.WR_FLUSH_ERR);
  }

  @Test
  void shouldReportAPeerThatIsGoneWithTheOldestRequest() throws Exception {
    pair.post(1, SendOpcode.SEND, 8);
    pair.post(2, SendOpcode.SEND, 8);
    pair.stream.listener.onStreamLost(PeerLoss.CLOSED, "why");
    List<ScriptedQueuePair.Done> done = pair.poll(pair.sends);
    assertEquals(CompletionStatus.RETRY_EXC_ERR, done.get(0).status());
    assertEquals(CompletionStatus.WR_FLUSH_ERR, done.get(1).status());
    for (ScriptedQueuePair.Done each : done) {
      assertEquals(
          "the peer closed or gave up its queue pair",
          pair.device.vendorErrorText(each.vendorError()));
    }
    assertFalse(pair.engine().nextFrame(new FrameHeader(), null));
    assertTrue(pair.stream.isFinished);
  }
}
