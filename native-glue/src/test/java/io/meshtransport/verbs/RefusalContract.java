// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs;

import static io.meshtransport.verbs.CompletionStatus.LOC_LEN_ERR;
import static io.meshtransport.verbs.CompletionStatus.LOC_PROT_ERR;
import static io.meshtransport.verbs.CompletionStatus.REM_ACCESS_ERR;
import static io.meshtransport.verbs.CompletionStatus.REM_INV_REQ_ERR;
import static io.meshtransport.verbs.CompletionStatus.REM_OP_ERR;
import static io.meshtransport.verbs.CompletionStatus.RETRY_EXC_ERR;
import static io.meshtransport.verbs.CompletionStatus.SUCCESS;
import static io.meshtransport.verbs.CompletionStatus.WR_FLUSH_ERR;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.verbs.Endpoint.Setup;
import io.meshtransport.verbs.Traits.Difference;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Requests that cannot be carried out, here or at the peer, and what becomes of the others. */
interface RefusalContract {
  ContractPair pair();

  /** The request posted first by a is refused with a status, and both sides are in ERR. */
  private void expectRefused(CompletionStatus status) throws VerbsException {
    pair().expectSent(pair().a, 1, status);
    assertEquals(QueuePairState.ERR, pair().a.queuePair.state());
    pair().awaitState(pair().b, QueuePairState.ERR);
  }

  /** As {@link #expectRefused}, for a request that never left a. */
  private void expectFailed(CompletionStatus status) throws VerbsException {
    pair().expectSent(pair().a, 1, status);
    assertEquals(QueuePairState.ERR, pair().a.queuePair.state());
    if (pair().traits.has(Difference.NOTICES_THE_PEERS_END)) {
      pair().awaitState(pair().b, QueuePairState.ERR);
    }
  }

  /** Whether the end of b's queue pair reaches a as one on purpose, where it reaches it at all. */
  private void expectEnd(boolean isOnPurpose) throws Exception {
    if (!pair().traits.has(Difference.NOTICES_THE_PEERS_END)) {
      return;
    }
    pair().connect();
    // Both ends have proved to be there.
    pair().a.postWrite(1, 0, 100, pair().b, 0);
    pair().expectSent(pair().a, 1, CompletionStatus.SUCCESS);
    if (isOnPurpose) {
      pair().b.queuePair.announceShutdown();
    }
    pair().b.queuePair.toError();
    pair().b.queuePair.close();
    pair().awaitState(pair().a, QueuePairState.ERR);
    pair().a.postReceive(7, 0, 64);
    WorkCompletions flushed = pair().a.receives.newCompletions(1);
    Awaitility.await()
        .atMost(60, TimeUnit.SECONDS)
        .until(() -> pair().a.receives.poll(flushed) == 1);
    assertEquals(WR_FLUSH_ERR, flushed.status(0));
    assertEquals(isOnPurpose, pair().left.isOrderlyShutdown(flushed.vendorError(0)));
  }

  @Test
  default void shouldNotifyThePeerOfAnEndOnPurpose() throws Exception {
    expectEnd(true);
  }

  @Test
  default void shouldNotCallAnEndOnPurposeThatWasNotAnnounced() throws Exception {
    expectEnd(false);
  }

  @Test
  default void shouldRefuseAForeignKey() throws Exception {
    pair().connect();
    pair().b.fill(0, 100, 1);
    pair().a.begin(1, SendOpcode.RDMA_WRITE);
    pair()
        .a
        .sge(0, 100)
        .chain
        .remote(pair().b.region.address(), pair().b.region.remoteKey() ^ 0x5500);
    pair().a.post();
    expectRefused(REM_ACCESS_ERR);
    pair().b.expect(0, 100, 1);
    if (!pair().traits.has(Difference.RAISES_NO_QUEUE_PAIR_EVENTS)) {
      AsyncEvent event = pair().awaitEvent(pair().b, AsyncEvent.Type.QP_ACCESS_ERR);
      assertEquals(pair().b.queuePair.number(), event.subject());
    }
  }

  @Test
  default void shouldRefuseToWriteBeyondTheEnd() throws Exception {
    pair().connect();
    pair().a.postWrite(1, 0, 100, pair().b, pair().b.region.lengthBytes() - 99);
    expectRefused(REM_ACCESS_ERR);
  }

  @Test
  default void shouldRefuseToReadBeforeTheBeginning() throws Exception {
    pair().connect();
    pair().a.postRead(1, 0, 100, pair().b, -1);
    expectRefused(REM_ACCESS_ERR);
  }

  @Test
  default void shouldRefuseToWriteWithoutTheRight() throws Exception {
    int access = Setup.ALL_ACCESS & ~Access.REMOTE_WRITE;
    pair().connect(Setup.usual(), Setup.usual().withMemory(1 << 20, access));
    pair().a.postWrite(1, 0, 100, pair().b, 0);
    expectRefused(REM_ACCESS_ERR);
  }

  @Test
  default void shouldRefuseToReadWithoutTheRight() throws Exception {
    int access = Setup.ALL_ACCESS & ~Access.REMOTE_READ;
    pair().connect(Setup.usual(), Setup.usual().withMemory(1 << 20, access));
    pair().a.postRead(1, 0, 100, pair().b, 0);
    expectRefused(REM_ACCESS_ERR);
  }

  @Test
  default void shouldRefuseAnAtomicWithoutTheRight() throws Exception {
    int access = Setup.ALL_ACCESS & ~Access.REMOTE_ATOMIC;
    pair().connect(Setup.usual(), Setup.usual().withMemory(1 << 20, access));
    pair().a.begin(1, SendOpcode.ATOMIC_FETCH_AND_ADD).atomic(1, 0);
    pair().a.sge(0, 8).remote(pair().b, 0).post();
    expectRefused(REM_ACCESS_ERR);
  }

  @Test
  default void shouldRefuseAnUnalignedAtomic() throws Exception {
    pair().connect();
    pair().a.begin(1, SendOpcode.ATOMIC_FETCH_AND_ADD).atomic(1, 0);
    pair().a.sge(0, 8).remote(pair().b, 4);
    if (pair().traits.has(Difference.REFUSES_UNALIGNED_ATOMIC_AT_POST)) {
      assertEquals(Errno.EINVAL, pair().a.queuePair.postSend(pair().a.chain));
    } else {
      pair().a.post();
      expectRefused(REM_INV_REQ_ERR);
    }
  }

  @Test
  default void shouldRefuseWhatTheQueuePairDoesNotAllow() throws Exception {
    pair().connect(Setup.usual(), Setup.usual().withQueuePairAccess(Access.LOCAL_WRITE));
    pair().a.postWrite(1, 0, 100, pair().b, 0);
    CompletionStatus status = pair().sent(pair().a).status();
    assertTrue(pair().traits.forbiddenByQueuePair().contains(status), () -> "got " + status);
  }

  @Test
  default void shouldRefuseTheKeyOfAClosedRegion() throws Exception {
    pair().connect();
    MemoryRegion region =
        pair().b.domain.register(ByteBuffer.allocateDirect(100), Setup.ALL_ACCESS);
    region.close();
    // The next region may take its place, but not its key.
    try (MemoryRegion next =
        pair().b.domain.register(ByteBuffer.allocateDirect(100), Setup.ALL_ACCESS)) {
      assertTrue(next.remoteKey() != region.remoteKey());
      pair().a.begin(1, SendOpcode.RDMA_WRITE).remote(region.address(), region.remoteKey());
      pair().a.sge(0, 10).post();
      expectRefused(REM_ACCESS_ERR);
    }
  }

  @Test
  default void shouldRefuseTheKeyOfAnotherProtectionDomain() throws Exception {
    pair().connect();
    try (ProtectionDomain other = pair().right.allocateProtectionDomain();
        MemoryRegion region = other.register(ByteBuffer.allocateDirect(100), Setup.ALL_ACCESS)) {
      pair().a.begin(1, SendOpcode.RDMA_WRITE).remote(region.address(), region.remoteKey());
      pair().a.sge(0, 10).post();
      expectRefused(REM_ACCESS_ERR);
    }
  }

  @Test
  default void shouldFailASendFromUnregisteredMemory() throws Exception {
    pair().connect();
    pair().b.postReceive(9, 0, 100);
    pair().a.begin(1, SendOpcode.SEND);
    pair().a.chain.sge(pair().a.region.address(), 10, pair().a.region.localKey() ^ 0x5500);
    pair().a.post();
    expectFailed(pair().traits.foreignLocalKey());
  }

  @Test
  default void shouldFailASendBeyondItsRegion() throws Exception {
    pair().connect();
    pair().a.postWrite(1, (int) pair().a.region.lengthBytes() - 9, 10, pair().b, 0);
    expectFailed(LOC_PROT_ERR);
  }

  @Test
  default void shouldFailAReadIntoMemoryThatMayNotBeWritten() throws Exception {
    pair().connect(Setup.usual().withMemory(4096, 0), Setup.usual());
    pair().a.postRead(1, 0, 10, pair().b, 0);
    expectFailed(LOC_PROT_ERR);
  }

  @Test
  default void shouldFailAReceiveIntoUnregisteredMemory() throws Exception {
    pair().connect();
    pair().b.receiveChain.clear();
    pair().b.receiveChain.begin(5);
    pair().b.receiveChain.sge(1, 100, pair().b.region.localKey());
    assertEquals(0, pair().b.queuePair.postReceive(pair().b.receiveChain));
    pair().a.postSend(1, 0, 10);
    pair().expectReceived(pair().b, 5, pair().traits.foreignLocalKey());
    expectRefused(REM_OP_ERR);
  }

  @Test
  default void shouldFailAMessageLongerThanThePortAllows() throws Exception {
    pair().connect();
    long most = pair().left.queryPort(1).maxMessageBytes();
    int half = (int) Math.min(Integer.MAX_VALUE, most / 2 + 1);
    pair().a.begin(1, SendOpcode.RDMA_WRITE);
    pair().a.sge(0, half).sge(0, half).remote(pair().b, 0).post();
    // A provider may look at the memory first, here or there, which is too short for this as well.
    CompletionStatus status = pair().sent(pair().a).status();
    Set<CompletionStatus> expected = Set.of(LOC_LEN_ERR, LOC_PROT_ERR, REM_ACCESS_ERR);
    assertTrue(expected.contains(status), () -> "got " + status);
  }

  @Test
  default void shouldCompleteWhatWasBeforeALocalFailure() throws Exception {
    pair().connect();
    pair().b.fill(0, 300_000, 2);
    pair().a.postRead(1, 0, 300_000, pair().b, 0);
    pair().a.postWrite(2, 0, 100, pair().b, 400_000);
    pair().a.postWrite(3, (int) pair().a.region.lengthBytes(), 10, pair().b, 0);
    pair().a.postWrite(4, 0, 10, pair().b, 0);
    pair().expectSent(pair().a, 1, SUCCESS);
    pair().expectSent(pair().a, 2, SUCCESS);
    pair().expectSent(pair().a, 3, LOC_PROT_ERR);
    pair().expectSent(pair().a, 4, WR_FLUSH_ERR);
    pair().a.expect(0, 300_000, 2);
  }

  @Test
  default void shouldCompleteWhatWasBeforeAnRefusal() throws Exception {
    pair().connect();
    pair().b.fill(0, 300_000, 3);
    pair().a.postRead(1, 0, 300_000, pair().b, 0);
    pair().a.postWrite(2, 500_000, 100, pair().b, 400_000);
    pair().a.postWrite(3, 0, 10, pair().b, -5);
    pair().a.postWrite(4, 0, 10, pair().b, 0);
    pair().expectSent(pair().a, 1, SUCCESS);
    pair().expectSent(pair().a, 2, SUCCESS);
    pair().expectSent(pair().a, 3, REM_ACCESS_ERR);
    pair().expectSent(pair().a, 4, WR_FLUSH_ERR);
    pair().a.expect(0, 300_000, 3);
    pair().b.expect(0, 300_000, 3);
  }

  @Test
  default void shouldFlushInOrder() throws Exception {
    pair().connect();
    for (int i = 0; i < 10; i++) {
      pair().a.postReceive(100 + i, 0, 10);
    }
    pair().a.postWrite(1, 0, 10, pair().b, -5);
    for (int i = 2; i < 12; i++) {
      pair().a.begin(i, SendOpcode.SEND, 0);
      pair().a.sge(0, 1);
      pair().a.queuePair.postSend(pair().a.chain);
    }
    pair().expectSent(pair().a, 1, REM_ACCESS_ERR);
    for (int i = 2; i < 12; i++) {
      pair().expectSent(pair().a, i, WR_FLUSH_ERR);
    }
    for (int i = 0; i < 10; i++) {
      pair().expectReceived(pair().a, 100 + i, WR_FLUSH_ERR);
    }
  }

  @Test
  default void shouldGiveUpAPeerWhoseQueuePairIsGone() throws Exception {
    pair().connect(Setup.usual().withPatience(8, 1));
    pair().b.queuePair.close();
    pair().a.postWrite(1, 0, 10, pair().b, 0);
    pair().a.queuePair.postSend(describeSecond());
    CompletionStatus first = pair().sent(pair().a).status();
    // A provider that notices the peer's end may have flushed before anything was posted.
    assertTrue(first == RETRY_EXC_ERR || first == WR_FLUSH_ERR, () -> "got " + first);
    pair().expectSent(pair().a, 2, WR_FLUSH_ERR);
    assertEquals(QueuePairState.ERR, pair().a.queuePair.state());
  }

  private SendChain describeSecond() {
    pair().a.begin(2, SendOpcode.RDMA_WRITE);
    return pair().a.sge(0, 10).remote(pair().b, 0).chain;
  }
}
