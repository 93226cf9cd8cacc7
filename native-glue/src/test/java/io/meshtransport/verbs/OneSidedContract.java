// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs;

import static io.meshtransport.verbs.CompletionStatus.SUCCESS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.verbs.Endpoint.Done;
import io.meshtransport.verbs.Endpoint.Setup;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Writes, reads and atomics: the peer's program takes no part. */
interface OneSidedContract {
  ContractPair pair();

  @Test
  default void shouldWrite() throws Exception {
    pair().connect();
    pair().a.fill(0, 700_000, 1);
    pair().a.postWrite(1, 0, 700_000, pair().b, 77);
    Done done = pair().sent(pair().a);
    assertEquals(SUCCESS, done.status());
    assertEquals(CompletionOpcode.RDMA_WRITE, done.opcode());
    pair().b.expect(77, 700_000, 1);
  }

  @Test
  default void shouldNotifyOfAWriteWithImmediate() throws Exception {
    pair().connect();
    Endpoint a = pair().a;
    Endpoint b = pair().b;
    b.postReceive(1, 0, 0);
    a.fill(0, 300_000, 2);
    a.begin(2, SendOpcode.RDMA_WRITE_WITH_IMM).immediate(-3);
    a.sge(0, 300_000).remote(b, 5).post();
    assertEquals(
        new Done(
            1,
            SUCCESS,
            CompletionOpcode.RECEIVE_RDMA_WITH_IMM,
            300_000,
            true,
            -3,
            b.queuePair.number()),
        pair().received(b));
    b.expect(5, 300_000, 2);
    pair().expectSent(a, 2, SUCCESS);
  }

  @Test
  default void shouldNotifyWithoutWritingAnything() throws Exception {
    pair().connect();
    pair().b.postReceive(1, 0, 0);
    pair().a.begin(2, SendOpcode.RDMA_WRITE_WITH_IMM).immediate(11);
    pair().a.post();
    Done received = pair().received(pair().b);
    assertEquals(0, received.lengthBytes());
    assertEquals(11, received.immediate());
  }

  @Test
  default void shouldHaveWrittenBeforeALaterMessageArrives() throws Exception {
    pair().connect();
    for (int round = 1; round <= 50; round++) {
      pair().b.postReceive(round, 900_000, 10);
      pair().a.fill(0, 5000, round);
      pair().a.begin(1, SendOpcode.RDMA_WRITE, 0);
      pair().a.sge(0, 5000).remote(pair().b, 0).post();
      pair().a.postSend(2, 0, 10);
      pair().expectReceived(pair().b, round, SUCCESS);
      pair().b.expect(0, 5000, round);
      pair().expectSent(pair().a, 2, SUCCESS);
    }
  }

  @Test
  default void shouldRead() throws Exception {
    pair().connect();
    pair().b.fill(1000, 600_000, 3);
    pair().a.begin(1, SendOpcode.RDMA_READ);
    pair().a.sge(0, 1).sge(1, 299_999).sge(300_000, 300_000).remote(pair().b, 1000).post();
    Done done = pair().sent(pair().a);
    assertEquals(SUCCESS, done.status());
    assertEquals(CompletionOpcode.RDMA_READ, done.opcode());
    assertEquals(600_000, done.lengthBytes());
    pair().a.expect(0, 600_000, 3);
  }

  @Test
  default void shouldIgnoreTheKeyWhereNoBytesAreTouched() throws Exception {
    pair().connect();
    pair().a.begin(1, SendOpcode.RDMA_WRITE).remote(0, 0);
    pair().a.post();
    pair().expectSent(pair().a, 1, SUCCESS);
    pair().a.begin(2, SendOpcode.RDMA_READ).remote(0, 0);
    pair().a.post();
    pair().expectSent(pair().a, 2, SUCCESS);
  }

  @Test
  default void shouldIssueMoreReadsThanMayBeOutstanding() throws Exception {
    pair().connect(Setup.usual().withMaxReadAtomic(1));
    pair().b.fill(0, 320_000, 4);
    for (int i = 0; i < 32; i++) {
      pair().a.postRead(i, i * 10_000, 10_000, pair().b, i * 10_000);
    }
    for (int i = 0; i < 32; i++) {
      pair().expectSent(pair().a, i, SUCCESS);
    }
    pair().a.expect(0, 320_000, 4);
  }

  @Test
  default void shouldReadInBothDirectionsAtOnce() throws Exception {
    pair().connect();
    pair().a.fill(0, 400_000, 5);
    pair().b.fill(0, 400_000, 6);
    pair().a.postRead(1, 500_000, 400_000, pair().b, 0);
    pair().b.postRead(2, 500_000, 400_000, pair().a, 0);
    pair().expectSent(pair().a, 1, SUCCESS);
    pair().expectSent(pair().b, 2, SUCCESS);
    pair().a.expect(500_000, 400_000, 6);
    pair().b.expect(500_000, 400_000, 5);
  }

  @Test
  default void shouldNotOvertakeAReadWithAFencedWrite() throws Exception {
    pair().connect();
    for (int round = 1; round <= 20; round++) {
      pair().b.fill(0, 200_000, round);
      pair().a.fill(0, 200_000, -round);
      pair().a.postRead(1, 300_000, 200_000, pair().b, 0);
      pair().a.begin(2, SendOpcode.RDMA_WRITE, SendFlags.FENCE | SendFlags.SIGNALED);
      pair().a.sge(0, 200_000).remote(pair().b, 0).post();
      pair().expectSent(pair().a, 1, SUCCESS);
      pair().expectSent(pair().a, 2, SUCCESS);
      pair().a.expect(300_000, 200_000, round);
      pair().b.expect(0, 200_000, -round);
    }
  }

  /** The value at an offset of an endpoint's memory, as atomics see it. */
  private static ByteBuffer numbers(Endpoint endpoint) {
    return endpoint.memory.duplicate().order(ByteOrder.nativeOrder());
  }

  private static void postAtomic(
      Endpoint from, long id, SendOpcode opcode, long compareOrAdd, long swap, Endpoint peer) {
    from.begin(id, opcode).atomic(compareOrAdd, swap);
    from.sge(8, 8).remote(peer, 64).post();
  }

  @Test
  default void shouldFetchAndAdd() throws Exception {
    pair().connect();
    numbers(pair().b).putLong(64, 1L << 40);
    postAtomic(pair().a, 1, SendOpcode.ATOMIC_FETCH_AND_ADD, -5, 0, pair().b);
    Done done = pair().sent(pair().a);
    assertEquals(SUCCESS, done.status());
    assertEquals(CompletionOpcode.FETCH_AND_ADD, done.opcode());
    assertEquals(1L << 40, numbers(pair().a).getLong(8));
    assertEquals((1L << 40) - 5, numbers(pair().b).getLong(64));
  }

  @Test
  default void shouldSwapWhatIsEqual() throws Exception {
    pair().connect();
    numbers(pair().b).putLong(64, 41);
    postAtomic(pair().a, 1, SendOpcode.ATOMIC_COMPARE_AND_SWAP, 41, Long.MIN_VALUE, pair().b);
    Done done = pair().sent(pair().a);
    assertEquals(CompletionOpcode.COMPARE_AND_SWAP, done.opcode());
    assertEquals(41, numbers(pair().a).getLong(8));
    assertEquals(Long.MIN_VALUE, numbers(pair().b).getLong(64));
  }

  @Test
  default void shouldLeaveWhatIsNotEqual() throws Exception {
    pair().connect();
    numbers(pair().b).putLong(64, 42);
    postAtomic(pair().a, 1, SendOpcode.ATOMIC_COMPARE_AND_SWAP, 41, 7, pair().b);
    pair().expectSent(pair().a, 1, SUCCESS);
    assertEquals(42, numbers(pair().a).getLong(8));
    assertEquals(42, numbers(pair().b).getLong(64));
  }

  @Test
  default void shouldCarryOutEachAtomicOnce() throws Exception {
    pair().connect();
    for (int i = 0; i < 200; i++) {
      postAtomic(pair().a, i, SendOpcode.ATOMIC_FETCH_AND_ADD, 3, 0, pair().b);
      pair().expectSent(pair().a, i, SUCCESS);
      assertEquals(3L * i, numbers(pair().a).getLong(8));
    }
  }

  @Test
  default void shouldNameMemoryByTheAddressOfTheCallersChoice() throws Exception {
    pair().connect();
    // The choice is free but for the place within a page, so the memory begins where one does.
    int page = 1 << 16;
    ByteBuffer buffer = ByteBuffer.allocateDirect(2 * page).alignedSlice(page).slice(0, 8192);
    // The upper half of the addresses is where sign mistakes show.
    long iova = 0xFFFF_8000_0000_0000L;
    try (MemoryRegion region =
        pair().b.domain.registerAt(iova, List.of(buffer), Setup.ALL_ACCESS)) {
      assertEquals(iova, region.address());
      pair().a.fill(0, 100, 9);
      pair().a.begin(1, SendOpcode.RDMA_WRITE).remote(iova + 8092, region.remoteKey());
      pair().a.sge(0, 100).post();
      pair().expectSent(pair().a, 1, SUCCESS);
      assertEquals(Endpoint.pattern(99, 9), buffer.get(8191));
    }
  }

  @Test
  default void shouldJoinNeighboursToOneRegion() throws Exception {
    pair().connect();
    ByteBuffer whole = ByteBuffer.allocateDirect(300);
    List<ByteBuffer> segments =
        List.of(whole.slice(0, 100), whole.slice(100, 1), whole.slice(101, 199));
    try (MemoryRegion region = pair().b.domain.register(segments, Setup.ALL_ACCESS)) {
      assertEquals(300, region.lengthBytes());
      pair().a.fill(0, 150, 10);
      pair().a.begin(1, SendOpcode.RDMA_WRITE).remote(region.address() + 50, region.remoteKey());
      pair().a.sge(0, 150).post();
      pair().expectSent(pair().a, 1, SUCCESS);
      for (int i = 0; i < 150; i++) {
        assertEquals(Endpoint.pattern(i, 10), whole.get(50 + i), "byte " + i);
      }
    }
  }

  @Test
  default void shouldServeThePeerWhileItsOwnProgramDoesNotPoll() throws Exception {
    pair().connect();
    for (int i = 0; i < 100; i++) {
      pair().a.postWrite(i, 0, 1000, pair().b, i);
      pair().expectSent(pair().a, i, SUCCESS);
    }
    assertTrue(pair().b.poll(pair().b.receives, 1).isEmpty());
  }
}
