// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.relay;

import static io.meshtransport.relay.ReceivingHalf.Verdict.BEYOND_LIMIT;
import static io.meshtransport.relay.ReceivingHalf.Verdict.REPEATED;
import static io.meshtransport.relay.ReceivingHalf.Verdict.TAKEN;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class ReceivingHalfTest {
  private static final int FIN = ChunkHeader.FIN;

  private final ByteArrayOutputStream taken = new ByteArrayOutputStream();
  private final ReceivingHalf half = new ReceivingHalf(this::take);
  private int willTake = Integer.MAX_VALUE;

  private void take(ByteBuffer bytes) {
    while (willTake > 0 && bytes.hasRemaining()) {
      taken.write(bytes.get());
      willTake--;
    }
  }

  /** Each byte is the place that it has in the flow. */
  private static Chunk chunk(long sequence, int count) {
    Chunk chunk = new Chunk(null, 1, 0, ByteBuffer.allocate(ChunkHeader.BYTES + count));
    NodeNumber[] route = {new NodeNumber(1, 1), new NodeNumber(2, 2)};
    ChunkHeader.putRoute(chunk.bytes, 0, route, 1, count);
    ChunkHeader.putFlow(chunk.bytes, 1, 0, 0, sequence, 0, 0, 16);
    for (int i = 0; i < count; i++) {
      chunk.bytes.put(ChunkHeader.BYTES + i, (byte) (sequence + i));
    }
    return chunk;
  }

  private ReceivingHalf.Verdict receive(long sequence, int count, int flags) {
    return half.received(chunk(sequence, count), flags, false);
  }

  private void assertTaken(int count) {
    byte[] bytes = taken.toByteArray();
    assertEquals(count, bytes.length);
    for (int i = 0; i < count; i++) {
      assertEquals((byte) i, bytes[i]);
    }
  }

  @Test
  void shouldTakeEachByteOnceAndInOrder() {
    assertEquals(TAKEN, receive(0, 10, 0));
    assertEquals(REPEATED, receive(11, 10, 0));
    assertEquals(TAKEN, receive(5, 10, 0));
    assertEquals(TAKEN, receive(0, 15, 0), "nothing new, and nothing is missing");
    assertTaken(15);
    assertEquals(15, half.acknowledgedBytes());
  }

  @Test
  void shouldAnswerSoonWhereThePeerRepeatsOrHasSentMuch() {
    half.answer();
    assertEquals(TAKEN, receive(0, 10, 0));
    assertTrue(half.isOwing());
    assertFalse(half.isAnswerDue());
    receive(0, 10, 0);
    assertTrue(half.isAnswerDue());
    half.answer();
    assertFalse(half.isAnswerDue());
    assertFalse(half.isOwing());
    receive(10, ReceivingHalf.ACKNOWLEDGE_BYTES, 0);
    assertTrue(half.isAnswerDue());
  }

  @Test
  void shouldKeepWhatIsNotTakenAndOfferItAgain() {
    half.answer();
    willTake = 3;
    receive(0, 10, 0);
    receive(10, 10, 0);
    assertTaken(3);
    assertEquals(20 - 17 + ReceivingHalf.WINDOW_BYTES, half.answer(), "what waits takes space");
    willTake = 5;
    half.offerPending();
    assertTaken(8);
    willTake = Integer.MAX_VALUE;
    half.offerPending();
    assertTaken(20);
  }

  @Test
  void shouldAnswerOnceThereIsSpaceAgain() {
    half.answer();
    willTake = 0;
    receive(0, ReceivingHalf.WINDOW_BYTES, 0);
    assertEquals(ReceivingHalf.WINDOW_BYTES, half.answer());
    half.offerPending();
    assertFalse(half.isAnswerDue());
    willTake = Integer.MAX_VALUE;
    half.offerPending();
    assertTrue(half.isAnswerDue());
    assertEquals(2L * ReceivingHalf.WINDOW_BYTES, half.answer());
  }

  @Test
  void shouldRefuseWhatGoesBeyondItsLimit() {
    int limit = (int) ReceivingHalf.FIRST_LIMIT_BYTES;
    assertEquals(BEYOND_LIMIT, receive(0, limit + 1, 0));
    assertEquals(0, taken.size());
    assertEquals(TAKEN, receive(0, limit, 0));
  }

  @Test
  void shouldBeReadOnceAllBytesUpToTheFinAreTaken() {
    willTake = 4;
    assertEquals(REPEATED, receive(1, 5, FIN), "a byte is missing");
    assertFalse(half.isFinished());
    assertEquals(TAKEN, receive(0, 6, FIN));
    assertTrue(half.isFinished());
    assertFalse(half.isRead());
    assertEquals(7, half.acknowledgedBytes());
    assertTrue(half.isAnswerDue());
    assertEquals(REPEATED, receive(6, 1, 0), "nothing follows a FIN");
    willTake = 2;
    half.offerPending();
    assertTrue(half.isRead());
    assertTaken(6);
  }

  @Test
  void shouldCountAndDropWhatNobodyWants() {
    assertEquals(TAKEN, half.received(chunk(0, 10), FIN, true));
    assertEquals(11, half.acknowledgedBytes());
    assertTrue(half.isRead());
    assertEquals(0, taken.size());
  }
}
