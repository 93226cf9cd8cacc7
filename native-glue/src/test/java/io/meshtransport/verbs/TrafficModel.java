// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.meshtransport.verbs.Endpoint.Done;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.Random;

/**
 * Random operations of one side, and what they must lead to. Of each endpoint's megabyte the first
 * quarter never changes and is what sends and writes take; the second is what the peer writes,
 * reads and does atomics on; the third takes the peer's messages; the last what the endpoint reads.
 */
final class TrafficModel {
  private static final int QUARTER = 1 << 18;
  private static final int TARGET = QUARTER;
  private static final int MESSAGES = 2 * QUARTER;
  private static final int RESULTS = 3 * QUARTER;
  private static final int MOST_AT_ONCE = 16;
  private static final int SLOT = QUARTER / MOST_AT_ONCE;

  /** What a completion at the requester must show. */
  private record Expected(long id, CompletionOpcode opcode, int resultAt, byte[] result) {}

  /** What a completion at the peer must show. */
  private record Notice(
      long id,
      CompletionOpcode opcode,
      int length,
      boolean hasImmediate,
      int immediate,
      int at,
      byte[] bytes) {}

  private final Endpoint from;
  private final Endpoint to;
  private final Random random;
  private final byte[] source = new byte[QUARTER];
  private final byte[] target = new byte[QUARTER];
  private final ArrayDeque<Expected> expected = new ArrayDeque<>();
  private final ArrayDeque<Notice> notices = new ArrayDeque<>();
  private long nextId;

  TrafficModel(Endpoint from, Endpoint to, Random random) {
    this.from = from;
    this.to = to;
    this.random = random;
    random.nextBytes(source);
    from.memory.put(0, source);
    to.memory.put(TARGET, target);
  }

  /** Posts up to 16 requests; how many. */
  int postSome() {
    int count = 1 + random.nextInt(MOST_AT_ONCE);
    for (int i = 0; i < count; i++) {
      post(i);
    }
    return count;
  }

  int notices() {
    return notices.size();
  }

  private void post(int slot) {
    switch (random.nextInt(7)) {
      case 0 -> message(slot, SendOpcode.SEND);
      case 1 -> message(slot, SendOpcode.SEND_WITH_IMM);
      case 2 -> write(slot, SendOpcode.RDMA_WRITE);
      case 3 -> write(slot, SendOpcode.RDMA_WRITE_WITH_IMM);
      case 4 -> read(slot);
      case 5 -> atomic(slot, SendOpcode.ATOMIC_FETCH_AND_ADD);
      default -> atomic(slot, SendOpcode.ATOMIC_COMPARE_AND_SWAP);
    }
  }

  private int randomLength() {
    return random.nextInt(4) == 0 ? random.nextInt(SLOT + 1) : random.nextInt(100);
  }

  private byte[] sourceBytes(int at, int length) {
    byte[] bytes = new byte[length];
    System.arraycopy(source, at, bytes, 0, length);
    return bytes;
  }

  /** In one or two pieces, and inline now and then. */
  private void addSource(int at, int length) {
    int first = length == 0 ? 0 : random.nextInt(length + 1);
    from.sge(at, first).sge(at + first, length - first);
  }

  private int flags(int length) {
    // Without the fence a write may change what an earlier read has not fetched yet.
    int flags = SendFlags.SIGNALED | SendFlags.FENCE;
    return length <= 64 && random.nextBoolean() ? flags | SendFlags.INLINE : flags;
  }

  private void message(int slot, SendOpcode opcode) {
    int length = randomLength();
    int at = random.nextInt(QUARTER - length + 1);
    boolean hasImmediate = opcode == SendOpcode.SEND_WITH_IMM;
    int immediate = hasImmediate ? random.nextInt() : 0;
    int place = MESSAGES + slot * SLOT;
    to.postReceive(nextId, place, SLOT);
    notices.add(
        new Notice(
            nextId,
            CompletionOpcode.RECEIVE,
            length,
            hasImmediate,
            immediate,
            place,
            sourceBytes(at, length)));
    from.begin(nextId, opcode, flags(length)).immediate(immediate);
    addSource(at, length);
    from.post();
    expected.add(new Expected(nextId++, CompletionOpcode.SEND, 0, new byte[0]));
  }

  private void write(int slot, SendOpcode opcode) {
    int length = randomLength();
    int at = random.nextInt(QUARTER - length + 1);
    int place = random.nextInt(QUARTER - length + 1);
    int immediate = random.nextInt();
    System.arraycopy(source, at, target, place, length);
    if (opcode == SendOpcode.RDMA_WRITE_WITH_IMM) {
      to.postReceive(nextId, 0, 0);
      notices.add(
          new Notice(
              nextId,
              CompletionOpcode.RECEIVE_RDMA_WITH_IMM,
              length,
              true,
              immediate,
              0,
              new byte[0]));
    }
    from.begin(nextId, opcode, flags(length)).immediate(immediate);
    addSource(at, length);
    from.remote(to, TARGET + place).post();
    expected.add(new Expected(nextId++, CompletionOpcode.RDMA_WRITE, 0, new byte[0]));
  }

  private void read(int slot) {
    int length = randomLength();
    int place = random.nextInt(QUARTER - length + 1);
    byte[] result = new byte[length];
    System.arraycopy(target, place, result, 0, length);
    from.begin(nextId, SendOpcode.RDMA_READ);
    int resultAt = RESULTS + slot * SLOT;
    from.sge(resultAt, length / 3).sge(resultAt + length / 3, length - length / 3);
    from.remote(to, TARGET + place).post();
    expected.add(new Expected(nextId++, CompletionOpcode.RDMA_READ, resultAt, result));
  }

  private void atomic(int slot, SendOpcode opcode) {
    int place = 8 * random.nextInt(QUARTER / 8);
    ByteBuffer numbers = ByteBuffer.wrap(target).order(ByteOrder.nativeOrder());
    long found = numbers.getLong(place);
    boolean isAdd = opcode == SendOpcode.ATOMIC_FETCH_AND_ADD;
    long operand = isAdd || random.nextBoolean() ? random.nextLong() : found;
    long swap = random.nextLong();
    numbers.putLong(place, isAdd ? found + operand : found == operand ? swap : found);
    byte[] result = ByteBuffer.allocate(8).order(ByteOrder.nativeOrder()).putLong(found).array();
    from.begin(nextId, opcode, SendFlags.SIGNALED | SendFlags.FENCE).atomic(operand, swap);
    int resultAt = RESULTS + slot * SLOT;
    from.sge(resultAt, 8).remote(to, TARGET + place).post();
    CompletionOpcode reported =
        isAdd ? CompletionOpcode.FETCH_AND_ADD : CompletionOpcode.COMPARE_AND_SWAP;
    expected.add(new Expected(nextId++, reported, resultAt, result));
  }

  /** The next completion at the requester. */
  void check(Done done) {
    Expected next = expected.remove();
    assertEquals(next.id(), done.id());
    assertEquals(CompletionStatus.SUCCESS, done.status());
    assertEquals(next.opcode(), done.opcode());
    assertArrayEquals(next.result(), bytesOf(from, next.resultAt(), next.result().length));
  }

  /** The next completion of a receive at the peer. */
  void checkNotice(Done done) {
    Notice next = notices.remove();
    assertEquals(
        new Done(
            next.id(),
            CompletionStatus.SUCCESS,
            next.opcode(),
            next.length(),
            next.hasImmediate(),
            next.immediate(),
            to.queuePair.number()),
        done);
    assertArrayEquals(next.bytes(), bytesOf(to, next.at(), next.bytes().length));
  }

  /** All of the peer's memory that this side has changed. */
  void checkMemory() {
    assertArrayEquals(target, bytesOf(to, TARGET, QUARTER));
  }

  private static byte[] bytesOf(Endpoint endpoint, int at, int length) {
    byte[] bytes = new byte[length];
    endpoint.memory.get(at, bytes);
    return bytes;
  }
}
