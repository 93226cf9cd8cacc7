// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.rc;

import static io.meshtransport.softverbs.rc.ScriptedQueuePair.RECEIVE_PSN;
import static io.meshtransport.softverbs.rc.ScriptedQueuePair.frame;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.meshtransport.softverbs.frame.FrameHeader;
import io.meshtransport.softverbs.frame.FrameType;
import io.meshtransport.softverbs.frame.PayloadViews;
import io.meshtransport.softverbs.rc.StreamListener.Pending;
import io.meshtransport.verbs.Access;
import io.meshtransport.verbs.AsyncEvent;
import io.meshtransport.verbs.CompletionOpcode;
import io.meshtransport.verbs.CompletionStatus;
import io.meshtransport.verbs.MemoryRegion;
import io.meshtransport.verbs.QueuePairState;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The receiving half of a queue pair, frame by frame; the test plays the peer. */
class ResponderTest {
  private static final byte[] FOUR = {1, 2, 3, 4};

  private ScriptedQueuePair pair;

  @BeforeEach
  void connect() throws Exception {
    pair = ScriptedQueuePair.connected(1);
  }

  private static FrameHeader send(int request, int offset, int payloadBytes, int messageBytes) {
    FrameHeader header = frame(FrameType.SEND, RECEIVE_PSN + request);
    header.flags = FrameHeader.FLAG_ACK_REQUEST;
    header.offset = offset;
    header.payloadBytes = payloadBytes;
    header.messageBytes = messageBytes;
    return header;
  }

  private FrameHeader write(int request, int offset, int payloadBytes, int messageBytes) {
    FrameHeader header =
        pair.request(FrameType.WRITE, RECEIVE_PSN + request, offset, payloadBytes, messageBytes);
    header.flags = FrameHeader.FLAG_ACK_REQUEST;
    return header;
  }

  private FrameHeader read(int request, int bytes) {
    return pair.request(FrameType.READ_REQUEST, RECEIVE_PSN + request, 0, 0, bytes);
  }

  private FrameHeader fetchAdd(int request, long add) {
    FrameHeader header = pair.request(FrameType.ATOMIC_REQUEST, RECEIVE_PSN + request, 0, 0, 0);
    header.compareOrAdd = add;
    return header;
  }

  private List<String> received() {
    return pair.outcomes(pair.receives);
  }

  /** The next frame is an answer of that type to that request. */
  private FrameHeader expectAnswer(FrameType type, int request) {
    ScriptedStream.Sent sent = pair.stream.fetch();
    assertNotNull(sent, "no answer");
    assertEquals(type, sent.header().type);
    assertEquals(RECEIVE_PSN + request, sent.header().sequence);
    return sent.header();
  }

  /** The request was refused: the peer gets the reason, once, and this side ends. */
  private void expectRefused(int request, NakCode code, AsyncEvent.Type event) throws Exception {
    assertEquals(QueuePairState.ERR, pair.queuePair.state());
    assertEquals(Pending.MORE, pair.stream.listener.pending());
    assertEquals(code.code(), expectAnswer(FrameType.NAK, request).code);
    assertNull(pair.stream.fetch());
    assertEquals(Pending.NOTHING, pair.stream.listener.pending());
    assertEquals(List.of(event), withoutEstablished());
  }

  private List<AsyncEvent.Type> withoutEstablished() throws Exception {
    return pair.events().stream().filter(type -> type != AsyncEvent.Type.COMM_EST).toList();
  }

  // Messages and writes.

  @Test
  void shouldPutAMessageIntoTheOldestReceiveAndAcknowledgeIt() {
    pair.receive(1, 100, 4);
    pair.receive(2, 200, 4);
    assertEquals(Pending.NOTHING, pair.stream.listener.pending());
    assertEquals(4, pair.stream.arrive(send(0, 0, 4, 4), FOUR));
    assertEquals(Pending.ACK, pair.stream.listener.pending());
    expectAnswer(FrameType.ACK, 0);
    assertEquals(Pending.NOTHING, pair.stream.listener.pending());
    List<ScriptedQueuePair.Done> done = pair.poll(pair.receives);
    assertEquals(
        List.of(
            new ScriptedQueuePair.Done(
                1, CompletionStatus.SUCCESS, CompletionOpcode.RECEIVE, 4, 0)),
        done);
    assertArrayEquals(FOUR, pair.bytes(100, 4));
    assertEquals(0, pair.memory.get(200));
  }

  @Test
  void shouldPutAMessageTogetherFromItsPieces() {
    pair.receive(1, 100, 8);
    pair.stream.arrive(send(0, 0, 4, 6), FOUR);
    assertEquals(List.of(), received());
    assertNull(pair.stream.fetch());
    pair.stream.arrive(send(0, 4, 2, 6), (byte) 5, (byte) 6);
    assertEquals(List.of("1 SUCCESS"), received());
    assertArrayEquals(new byte[] {1, 2, 3, 4, 5, 6, 0, 0}, pair.bytes(100, 8));
    expectAnswer(FrameType.ACK, 0);
  }

  @Test
  void shouldRefuseAPieceOfAnotherRequest() throws Exception {
    pair.stream.arrive(write(0, 0, 4, 8), FOUR);
    FrameHeader other = write(0, 4, 4, 8);
    other.remoteAddress += 1000;
    assertEquals(0, pair.stream.arrive(other, FOUR));
    expectRefused(0, NakCode.INVALID_REQUEST, AsyncEvent.Type.QP_REQ_ERR);
    assertEquals(0, pair.memory.get(1004));
  }

  @Test
  void shouldRefuseAMessageLongerThanItsReceive() throws Exception {
    pair.receive(1, 100, 3);
    pair.receive(2, 200, 100);
    assertEquals(0, pair.stream.arrive(send(0, 0, 4, 4), FOUR));
    assertEquals(
        List.of("1 " + CompletionStatus.LOC_LEN_ERR, "2 " + CompletionStatus.WR_FLUSH_ERR),
        received());
    expectRefused(0, NakCode.INVALID_REQUEST, AsyncEvent.Type.QP_REQ_ERR);
  }

  @Test
  void shouldRefuseAMessageWhoseReceiveMayNotBeWritten() throws Exception {
    MemoryRegion constant = pair.domain.register(ByteBuffer.allocateDirect(8), 0);
    pair.receive(1, pair.register(4), constant);
    assertEquals(0, pair.stream.arrive(send(0, 0, 4, 12), FOUR));
    assertEquals(List.of("1 " + CompletionStatus.LOC_PROT_ERR), received());
    expectRefused(0, NakCode.REMOTE_OPERATION, AsyncEvent.Type.QP_FATAL);
  }

  @Test
  void shouldRefuseAMessageWhoseReceiveLosesItsMemoryBetweenPieces() throws Exception {
    ByteBuffer first = ByteBuffer.allocateDirect(6);
    MemoryRegion gone = pair.register(6);
    pair.receive(1, pair.domain.register(first, Access.LOCAL_WRITE), gone);
    pair.stream.arrive(send(0, 0, 4, 12), FOUR);
    gone.close();
    assertEquals(0, pair.stream.arrive(send(0, 4, 4, 12), FOUR));
    assertEquals(0, first.get(4));
    assertEquals(List.of("1 " + CompletionStatus.LOC_PROT_ERR), received());
    expectRefused(0, NakCode.REMOTE_OPERATION, AsyncEvent.Type.QP_FATAL);
  }

  @Test
  void shouldRefuseAWriteWhoseMemoryIsClosedBetweenPieces() throws Exception {
    pair.stream.arrive(write(0, 0, 4, 8), FOUR);
    pair.region.close();
    assertEquals(0, pair.stream.arrive(write(0, 4, 4, 8), FOUR));
    expectRefused(0, NakCode.REMOTE_ACCESS, AsyncEvent.Type.QP_ACCESS_ERR);
  }

  @Test
  void shouldRefuseAWriteOutsideTheRegion() throws Exception {
    FrameHeader outside = write(0, 0, 4, 4);
    outside.remoteAddress += pair.memory.capacity() - 3;
    assertEquals(0, pair.stream.arrive(outside, FOUR));
    expectRefused(0, NakCode.REMOTE_ACCESS, AsyncEvent.Type.QP_ACCESS_ERR);
  }

  @Test
  void shouldReportAWriteWithImmediateToItsReceive() {
    pair.receive(1, 100, 1);
    FrameHeader write = write(0, 0, 4, 4);
    write.flags |= FrameHeader.FLAG_IMMEDIATE;
    assertEquals(4, pair.stream.arrive(write, FOUR));
    assertEquals(
        List.of(
            new ScriptedQueuePair.Done(
                1, CompletionStatus.SUCCESS, CompletionOpcode.RECEIVE_RDMA_WITH_IMM, 4, 0)),
        pair.poll(pair.receives));
  }

  @Test
  void shouldWriteNothingWhereAnImmediateFindsNoReceive() {
    FrameHeader write = write(0, 0, 4, 4);
    write.flags |= FrameHeader.FLAG_IMMEDIATE;
    assertEquals(0, pair.stream.arrive(write, FOUR));
    assertEquals(0, pair.memory.get(0));
    assertEquals(ScriptedQueuePair.RNR_TIMER, expectAnswer(FrameType.RNR_NAK, 0).code);
  }

  @Test
  void shouldAcknowledgeWritesWithTheNextThatRequestsIt() {
    FrameHeader silent = write(0, 0, 4, 4);
    silent.flags = 0;
    pair.stream.arrive(silent, FOUR);
    assertNull(pair.stream.fetch());
    pair.stream.arrive(write(1, 0, 4, 4), FOUR);
    silent.sequence += 2;
    pair.stream.arrive(silent, FOUR);
    expectAnswer(FrameType.ACK, 2);
  }

  // Order.

  @Test
  void shouldDiscardUntilTheMessageThatFoundNoReceiveComesAgain() {
    assertEquals(0, pair.stream.arrive(send(0, 0, 4, 4), FOUR));
    assertEquals(Pending.MORE, pair.stream.listener.pending());
    assertEquals(0, pair.stream.arrive(write(1, 0, 4, 4), FOUR));
    expectAnswer(FrameType.RNR_NAK, 0);
    assertEquals(Pending.NOTHING, pair.stream.listener.pending());
    pair.receive(1, 100, 4);
    assertEquals(4, pair.stream.arrive(send(0, 0, 4, 4), FOUR));
    assertEquals(4, pair.stream.arrive(write(1, 0, 4, 4), FOUR));
    assertEquals(List.of("1 SUCCESS"), received());
    expectAnswer(FrameType.ACK, 1);
  }

  @Test
  void shouldRefuseARequestOutOfSequence() throws Exception {
    assertEquals(0, pair.stream.arrive(write(1, 0, 4, 4), FOUR));
    expectRefused(0, NakCode.PSN_SEQUENCE, AsyncEvent.Type.QP_REQ_ERR);
  }

  @Test
  void shouldRefuseAPieceThatIsNotTheNext() throws Exception {
    pair.stream.arrive(write(0, 0, 4, 12), FOUR);
    assertEquals(0, pair.stream.arrive(write(0, 8, 4, 12), FOUR));
    expectRefused(0, NakCode.PSN_SEQUENCE, AsyncEvent.Type.QP_REQ_ERR);
  }

  @Test
  void shouldCarryOutNothingAfterARefusal() throws Exception {
    pair.stream.arrive(write(1, 0, 4, 4), FOUR);
    assertEquals(0, pair.stream.arrive(write(0, 0, 4, 4), FOUR));
    expectRefused(0, NakCode.PSN_SEQUENCE, AsyncEvent.Type.QP_REQ_ERR);
  }

  @Test
  void shouldCarryOutNothingAfterTheQueuePairFailed() throws Exception {
    pair.queuePair.toError();
    assertEquals(0, pair.stream.arrive(write(0, 0, 4, 4), FOUR));
    assertEquals(0, pair.memory.get(0));
    assertNull(pair.stream.fetch());
  }

  @Test
  void shouldNotFinishAPieceThatArrivedWhileTheQueuePairFailed() throws Exception {
    pair.receive(1, 100, 4);
    FrameHeader header = send(0, 0, 4, 4);
    pair.stream.listener.beginFrame(header, new PayloadViews());
    pair.queuePair.toError();
    pair.stream.listener.endFrame(header);
    assertEquals(List.of("1 " + CompletionStatus.WR_FLUSH_ERR), received());
  }

  @Test
  void shouldAnswerAProbeWithWhatWasCarriedOut() throws Exception {
    pair.stream.arrive(frame(FrameType.PROBE, 0));
    assertEquals(Pending.ACK, pair.stream.listener.pending());
    expectAnswer(FrameType.ACK, -1);
    pair.stream.arrive(send(0, 0, 4, 4), FOUR);
    expectAnswer(FrameType.RNR_NAK, 0);
    pair.stream.arrive(frame(FrameType.PROBE, 0));
    expectAnswer(FrameType.ACK, -1);
    pair.queuePair.toError();
    pair.stream.arrive(frame(FrameType.PROBE, 0));
    assertNull(pair.stream.fetch());
  }

  // Memory that is closed while a frame arrives.

  private void closeMemoryWhileArriving(FrameHeader header) {
    pair.stream.listener.beginFrame(header, new PayloadViews());
    pair.stream.listener.onMemoryClosed(header);
    pair.stream.listener.endFrame(header);
  }

  @Test
  void shouldRefuseAWriteWhoseMemoryIsClosedWhileItArrives() throws Exception {
    closeMemoryWhileArriving(write(0, 0, 4, 4));
    expectRefused(0, NakCode.REMOTE_ACCESS, AsyncEvent.Type.QP_ACCESS_ERR);
  }

  @Test
  void shouldRefuseAMessageWhoseMemoryIsClosedWhileItArrives() throws Exception {
    pair.receive(1, 100, 4);
    closeMemoryWhileArriving(send(0, 0, 4, 4));
    assertEquals(List.of("1 " + CompletionStatus.LOC_PROT_ERR), received());
    expectRefused(0, NakCode.REMOTE_OPERATION, AsyncEvent.Type.QP_FATAL);
  }

  @Test
  void shouldIgnoreClosedMemoryOfWhatIsDiscarded() throws Exception {
    closeMemoryWhileArriving(send(0, 0, 4, 4));
    expectAnswer(FrameType.RNR_NAK, 0);
    assertEquals(QueuePairState.RTS, pair.queuePair.state());
  }

  // Reads and atomics.

  @Test
  void shouldAnswerAReadInPieces() {
    pair.memory.put(0, FOUR);
    pair.stream.arrive(read(0, 4));
    assertEquals(Pending.MORE, pair.stream.listener.pending());
    ScriptedStream.Sent first = pair.stream.fetch(3);
    assertArrayEquals(new byte[] {1, 2, 3}, first.payload());
    ScriptedStream.Sent second = pair.stream.fetch(3);
    assertEquals(3, second.header().offset);
    assertArrayEquals(new byte[] {4}, second.payload());
    assertNull(pair.stream.fetch());
  }

  @Test
  void shouldServeAsManyReadsAtOnceAsAgreed() throws Exception {
    pair.stream.arrive(read(0, 4));
    pair.stream.fetch();
    pair.stream.arrive(read(1, 4));
    pair.stream.arrive(read(2, 4));
    assertEquals(QueuePairState.ERR, pair.queuePair.state());
    assertEquals(FrameType.READ_RESPONSE, pair.stream.fetch().header().type);
    expectRefused(2, NakCode.INVALID_REQUEST, AsyncEvent.Type.QP_REQ_ERR);
  }

  @Test
  void shouldAcceptWritesWhileItOwesResponses() throws Exception {
    pair.stream.arrive(read(0, 4));
    assertEquals(4, pair.stream.arrive(write(1, 0, 4, 4), FOUR));
    assertEquals(QueuePairState.RTS, pair.queuePair.state());
  }

  @Test
  void shouldAnswerReadsInOrderRoundTheRing() throws Exception {
    pair = ScriptedQueuePair.connected(3);
    for (int round = 0; round < 4; round++) {
      pair.stream.arrive(read(2 * round, 1));
      pair.stream.arrive(read(2 * round + 1, 2));
      assertEquals(1, expectAnswer(FrameType.READ_RESPONSE, 2 * round).payloadBytes);
      assertEquals(2, expectAnswer(FrameType.READ_RESPONSE, 2 * round + 1).payloadBytes);
    }
  }

  @Test
  void shouldRefuseAReadOfAWrongKeyAtOnce() throws Exception {
    FrameHeader read = read(0, 4);
    read.remoteKey++;
    pair.stream.arrive(read);
    expectRefused(0, NakCode.REMOTE_ACCESS, AsyncEvent.Type.QP_ACCESS_ERR);
  }

  @Test
  void shouldRefuseTheRestOfAReadWhoseMemoryIsClosed() throws Exception {
    pair = ScriptedQueuePair.connected(2);
    pair.stream.arrive(read(0, 4));
    pair.stream.arrive(read(1, 4));
    assertEquals(2, pair.stream.fetch(2).header().payloadBytes);
    pair.region.close();
    assertEquals(NakCode.REMOTE_ACCESS.code(), expectAnswer(FrameType.NAK, 0).code);
    assertNull(pair.stream.fetch());
    assertEquals(QueuePairState.ERR, pair.queuePair.state());
  }

  @Test
  void shouldAnswerReadsOfNothingWithoutAKey() {
    FrameHeader read = read(0, 0);
    read.remoteKey++;
    pair.stream.arrive(read);
    assertEquals(0, expectAnswer(FrameType.READ_RESPONSE, 0).payloadBytes);
  }

  @Test
  void shouldSendNoResponseAfterTheQueuePairFailed() throws Exception {
    pair.stream.arrive(read(0, 4));
    pair.queuePair.toError();
    assertNull(pair.stream.fetch());
    assertEquals(Pending.NOTHING, pair.stream.listener.pending());
  }

  @Test
  void shouldSendTheResponsesBeforeARefusal() throws Exception {
    pair.stream.arrive(read(0, 4));
    pair.stream.arrive(write(5, 0, 4, 4), FOUR);
    expectAnswer(FrameType.READ_RESPONSE, 0);
    expectRefused(1, NakCode.PSN_SEQUENCE, AsyncEvent.Type.QP_REQ_ERR);
  }

  @Test
  void shouldAddAndSwap() {
    pair.memory.order(ByteOrder.nativeOrder()).putLong(0, 40);
    pair.stream.arrive(fetchAdd(0, 2));
    assertEquals(40, expectAnswer(FrameType.ATOMIC_RESPONSE, 0).remoteAddress);
    assertEquals(42, pair.memory.getLong(0));
    for (long compare : new long[] {41, 42}) {
      FrameHeader swap = fetchAdd((int) compare - 40, compare);
      swap.code = FrameHeader.CODE_COMPARE_AND_SWAP;
      swap.swap = 7;
      pair.stream.arrive(swap);
      assertEquals(42, expectAnswer(FrameType.ATOMIC_RESPONSE, (int) compare - 40).remoteAddress);
      assertEquals(compare == 42 ? 7 : 42, pair.memory.getLong(0));
    }
  }

  @Test
  void shouldRefuseAnAtomicThatIsNotAligned() throws Exception {
    FrameHeader atomic = fetchAdd(0, 1);
    atomic.remoteAddress += 4;
    pair.stream.arrive(atomic);
    expectRefused(0, NakCode.INVALID_REQUEST, AsyncEvent.Type.QP_REQ_ERR);
  }

  @Test
  void shouldRefuseAnAtomicAcrossTwoBuffers() throws Exception {
    MemoryRegion split =
        pair.domain.registerAt(
            4096,
            List.of(ByteBuffer.allocateDirect(4), ByteBuffer.allocateDirect(4)),
            ScriptedQueuePair.ALL);
    FrameHeader atomic = fetchAdd(0, 1);
    atomic.remoteAddress = 4096;
    atomic.remoteKey = split.remoteKey();
    pair.stream.arrive(atomic);
    assertEquals(QueuePairState.ERR, pair.queuePair.state());
    assertEquals(NakCode.REMOTE_OPERATION.code(), pair.stream.fetch().header().code);
  }

  @Test
  void shouldServeNeitherReadsNorAtomicsNorWritesWithoutTheirRight() throws Exception {
    for (FrameType type :
        List.of(FrameType.WRITE, FrameType.READ_REQUEST, FrameType.ATOMIC_REQUEST)) {
      pair = new ScriptedQueuePair();
      pair.connect(1, 0);
      FrameHeader request = pair.request(type, RECEIVE_PSN, 0, 0, 4);
      request.payloadBytes = type == FrameType.WRITE ? 4 : 0;
      assertEquals(0, pair.stream.arrive(request, FOUR), type.name());
      expectRefused(0, NakCode.INVALID_REQUEST, AsyncEvent.Type.QP_REQ_ERR);
    }
  }

  // The end.

  @Test
  void shouldFlushReceivesWithTheReasonWhyThePeerIsGone() {
    pair.receive(1, 100, 4);
    pair.stream.listener.onStreamLost(PeerLoss.ENDED, "why");
    ScriptedQueuePair.Done done = pair.poll(pair.receives).get(0);
    assertEquals(CompletionStatus.WR_FLUSH_ERR, done.status());
    assertEquals(PeerLoss.ENDED.vendorError(), done.vendorError());
  }
}
