// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs;

import static io.meshtransport.verbs.CompletionStatus.RNR_RETRY_EXC_ERR;
import static io.meshtransport.verbs.CompletionStatus.SUCCESS;
import static io.meshtransport.verbs.CompletionStatus.WR_FLUSH_ERR;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.meshtransport.verbs.Endpoint.Done;
import io.meshtransport.verbs.Endpoint.Setup;
import org.junit.jupiter.api.Test;

/** Sends and receives. */
interface MessageContract {
  ContractPair pair();

  @Test
  default void shouldDeliverAMessage() throws Exception {
    pair().connect();
    Endpoint a = pair().a;
    Endpoint b = pair().b;
    a.fill(0, 1000, 1);
    b.postReceive(7, 100, 1000);
    a.postSend(9, 0, 1000);
    assertEquals(
        new Done(7, SUCCESS, CompletionOpcode.RECEIVE, 1000, false, 0, b.queuePair.number()),
        pair().received(b));
    b.expect(100, 1000, 1);
    Done sent = pair().sent(a);
    assertEquals(9, sent.id());
    assertEquals(SUCCESS, sent.status());
    assertEquals(CompletionOpcode.SEND, sent.opcode());
    assertEquals(a.queuePair.number(), sent.queuePair());
  }

  @Test
  default void shouldReportTheTrueLengthInALargerReceive() throws Exception {
    pair().connect();
    pair().b.postReceive(1, 0, 4096);
    pair().a.postSend(2, 0, 17);
    assertEquals(17, pair().received(pair().b).lengthBytes());
  }

  @Test
  default void shouldDeliverImmediateData() throws Exception {
    pair().connect();
    pair().b.postReceive(1, 0, 64);
    pair().a.begin(2, SendOpcode.SEND_WITH_IMM).immediate(0xCAFEBABE);
    pair().a.sge(0, 64).post();
    Done received = pair().received(pair().b);
    assertEquals(true, received.hasImmediate());
    assertEquals(0xCAFEBABE, received.immediate());
    assertEquals(64, received.lengthBytes());
  }

  @Test
  default void shouldDeliverAMessageOfNoBytes() throws Exception {
    pair().connect();
    pair().b.postReceive(1, 0, 0);
    pair().a.begin(2, SendOpcode.SEND);
    pair().a.post();
    Done received = pair().received(pair().b);
    assertEquals(SUCCESS, received.status());
    assertEquals(0, received.lengthBytes());
    pair().expectSent(pair().a, 2, SUCCESS);
  }

  @Test
  default void shouldGatherAndScatter() throws Exception {
    pair().connect();
    Endpoint a = pair().a;
    Endpoint b = pair().b;
    a.fill(5000, 300, 3);
    b.receiveChain.clear();
    b.receiveChain.begin(1);
    b.receiveChain.sge(b.region.address() + 10, 120, b.region.localKey());
    b.receiveChain.sge(b.region.address() + 130, 0, b.region.localKey());
    b.receiveChain.sge(b.region.address() + 130, 1000, b.region.localKey());
    assertEquals(0, b.queuePair.postReceive(b.receiveChain));
    a.begin(2, SendOpcode.SEND);
    a.sge(5000, 1).sge(5001, 199).sge(5200, 100).post();
    assertEquals(300, pair().received(b).lengthBytes());
    b.expect(10, 300, 3);
  }

  @Test
  default void shouldCopyInlinePayloadDuringThePost() throws Exception {
    pair().connect();
    Endpoint a = pair().a;
    a.fill(0, 64, 4);
    a.begin(1, SendOpcode.SEND, SendFlags.INLINE | SendFlags.SIGNALED);
    a.sge(0, 40).sge(40, 24).post();
    a.fill(0, 64, 5);
    pair().b.postReceive(2, 0, 64);
    pair().expectReceived(pair().b, 2, SUCCESS);
    pair().b.expect(0, 64, 4);
  }

  @Test
  default void shouldRefuseInlinePayloadBeyondItsLimit() throws Exception {
    pair().connect();
    Endpoint a = pair().a;
    int limit = a.queuePair.capabilities().inlineBytes();
    a.begin(1, SendOpcode.SEND, SendFlags.INLINE);
    a.sge(0, limit + 1);
    assertEquals(Errno.EINVAL, a.queuePair.postSend(a.chain));
    assertEquals(0, a.chain.refusedIndex());
  }

  @Test
  default void shouldKeepTheOrderOfManyMessages() throws Exception {
    pair().connect();
    for (int round = 0; round < 20; round++) {
      for (int i = 0; i < 16; i++) {
        pair().b.postReceive(100 + i, i * 100, 100);
      }
      for (int i = 0; i < 16; i++) {
        pair().a.postSend(i, 0, i + 1);
      }
      for (int i = 0; i < 16; i++) {
        Done received = pair().received(pair().b);
        assertEquals(100 + i, received.id());
        assertEquals(i + 1, received.lengthBytes());
        pair().expectSent(pair().a, i, SUCCESS);
      }
    }
  }

  @Test
  default void shouldPostAChainWithOneCall() throws Exception {
    pair().connect();
    Endpoint a = pair().a;
    a.chain.clear();
    for (int i = 0; i < 10; i++) {
      pair().b.postReceive(i, i * 10, 10);
      a.chain.begin(i, SendOpcode.SEND, SendFlags.SIGNALED);
      a.sge(i, i);
    }
    a.post();
    for (int i = 0; i < 10; i++) {
      assertEquals(i, pair().received(pair().b).lengthBytes());
      pair().expectSent(a, i, SUCCESS);
    }
  }

  @Test
  default void shouldDeliverALargeMessage() throws Exception {
    int bytes = 16 << 20;
    pair().connect(Setup.usual().withMemory(bytes, Setup.ALL_ACCESS));
    pair().a.fill(0, bytes, 6);
    pair().b.postReceive(1, 0, bytes);
    pair().a.postSend(2, 0, bytes);
    assertEquals(bytes, pair().received(pair().b).lengthBytes());
    pair().b.expect(0, bytes, 6);
    pair().expectSent(pair().a, 2, SUCCESS);
  }

  @Test
  default void shouldReportOnlySignaledSends() throws Exception {
    pair().connect();
    Endpoint a = pair().a;
    for (int i = 0; i < 6; i++) {
      pair().b.postReceive(i, 0, 10);
      a.begin(i, SendOpcode.SEND, i == 5 ? SendFlags.SIGNALED : 0);
      a.sge(0, 10).post();
    }
    pair().expectSent(a, 5, SUCCESS);
    pair().await(pair().b, pair().b.receives, 6);
  }

  @Test
  default void shouldWaitForAReceive() throws Exception {
    pair().connect(Setup.usual().withRnr(7, 1));
    Endpoint a = pair().a;
    Endpoint b = pair().b;
    a.fill(0, 300_000, 7);
    a.postSend(1, 0, 300_000);
    a.postWrite(2, 0, 100, b, 500_000);
    a.postSend(3, 0, 5);
    for (int i = 0; i < 1000; i++) {
      assertEquals(0, a.poll(a.sends, 1).size() + b.poll(b.receives, 1).size());
    }
    b.postReceive(4, 0, 300_000);
    pair().expectReceived(b, 4, SUCCESS);
    b.expect(0, 300_000, 7);
    pair().expectSent(a, 1, SUCCESS);
    pair().expectSent(a, 2, SUCCESS);
    b.postReceive(5, 0, 5);
    pair().expectSent(a, 3, SUCCESS);
    pair().expectReceived(b, 5, SUCCESS);
  }

  @Test
  default void shouldGiveUpWhenNoReceiveComes() throws Exception {
    pair().connect(Setup.usual().withRnr(2, 1));
    pair().a.postSend(1, 0, 10);
    pair().a.postSend(2, 0, 10);
    pair().expectSent(pair().a, 1, RNR_RETRY_EXC_ERR);
    pair().expectSent(pair().a, 2, WR_FLUSH_ERR);
    assertEquals(QueuePairState.ERR, pair().a.queuePair.state());
  }

  @Test
  default void shouldWaitForAReceiveForTheNoticeOfAWrite() throws Exception {
    pair().connect(Setup.usual().withRnr(2, 1));
    pair().a.begin(1, SendOpcode.RDMA_WRITE_WITH_IMM);
    pair().a.sge(0, 10).remote(pair().b, 0).post();
    pair().expectSent(pair().a, 1, RNR_RETRY_EXC_ERR);
  }

  @Test
  default void shouldRefuseAMessageLongerThanItsReceive() throws Exception {
    pair().connect();
    pair().b.fill(0, 200, 8);
    pair().b.postReceive(1, 0, 100);
    pair().b.postReceive(2, 0, 100);
    pair().a.postSend(3, 0, 101);
    pair().a.postSend(4, 0, 1);
    pair().expectReceived(pair().b, 1, pair().traits.shortReceive());
    pair().expectReceived(pair().b, 2, WR_FLUSH_ERR);
    pair().expectSent(pair().a, 3, pair().traits.longMessage());
    pair().expectSent(pair().a, 4, WR_FLUSH_ERR);
    assertEquals(QueuePairState.ERR, pair().a.queuePair.state());
    assertEquals(QueuePairState.ERR, pair().b.queuePair.state());
  }

  @Test
  default void shouldReceiveBeforeBeingReadyToSend() throws Exception {
    pair().make(Setup.usual(), Setup.usual());
    Endpoint a = pair().a;
    Endpoint b = pair().b;
    a.toInit();
    b.toInit();
    b.postReceive(1, 0, 10);
    b.toReadyToReceive(a);
    a.toReadyToReceive(b);
    a.toReadyToSend();
    a.postSend(2, 0, 10);
    pair().expectReceived(b, 1, SUCCESS);
    pair().expectSent(a, 2, SUCCESS);
    if (!pair().traits.has(Traits.Difference.RAISES_NO_QUEUE_PAIR_EVENTS)) {
      assertEquals(
          new AsyncEvent(AsyncEvent.Type.COMM_EST, b.queuePair.number()),
          pair().awaitEvent(b, AsyncEvent.Type.COMM_EST));
    }
    b.toReadyToSend();
    a.postReceive(3, 0, 10);
    b.postSend(4, 0, 10);
    pair().expectReceived(a, 3, SUCCESS);
  }
}
