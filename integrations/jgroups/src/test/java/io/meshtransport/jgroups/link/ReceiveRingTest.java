// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.link;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class ReceiveRingTest {
  private static final int BUFFER_BYTES = 8;
  private static final Duration LONG = Duration.ofMinutes(10);

  private final ScriptedReceiveChannel channel = new ScriptedReceiveChannel();
  private int memoryBytes;
  private ReceiveRing ring;

  private void post(int receives) throws TransportException {
    post(receives, receives);
  }

  private void post(int receives, int firstReceives) throws TransportException {
    ring =
        new ReceiveRing(
            channel,
            lengthBytes -> {
              memoryBytes += lengthBytes;
              return new PlainMemory(ByteBuffer.allocateDirect(lengthBytes));
            },
            receives,
            firstReceives,
            BUFFER_BYTES);
    ring.postFirst();
  }

  private void arrive(int from, int to) {
    for (int mark = from; mark <= to; mark++) {
      // The lengths differ, to show that each is reported with its own message.
      channel.arrive(ByteBuffer.allocate(Integer.BYTES + mark % 5).putInt(0, mark).array());
    }
  }

  private int consume() throws TransportException {
    ByteBuffer message = ring.message();
    int mark = message.getInt(0);
    assertEquals(Integer.BYTES + mark % 5, message.remaining());
    ring.consumed();
    return mark;
  }

  /** All that is there, without waiting. */
  private List<Integer> consumeAll() throws TransportException {
    List<Integer> marks = new ArrayList<>();
    while (ring.awaitNext(Duration.ZERO)) {
      marks.add(consume());
    }
    return marks;
  }

  private static List<Integer> marks(int from, int to) {
    List<Integer> marks = new ArrayList<>();
    for (int mark = from; mark <= to; mark++) {
      marks.add(mark);
    }
    return marks;
  }

  @Test
  void shouldPostAllReceivesInGroupsTheLastOneSmaller() throws TransportException {
    post(34);
    assertEquals(List.of(8, 8, 8, 8, 2), channel.groups());
  }

  @Test
  void shouldHaveSeveralGroupsHoweverFewReceives() throws TransportException {
    post(6);
    assertEquals(List.of(1, 1, 1, 1, 1, 1), channel.groups());
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3, 6, 20, 34, 64})
  void shouldGiveMessagesInOrderForEver(int receives) throws TransportException {
    post(receives);
    int mark = 1;
    for (int round = 0; round < 200; round++) {
      int arriving = Math.min(channel.freeRooms(), 1 + round % receives);
      assertTrue(arriving > 0);
      arrive(mark, mark + arriving - 1);
      assertEquals(marks(mark, mark + arriving - 1), consumeAll());
      mark += arriving;
    }
  }

  @Test
  void shouldPostAGroupAgainOnceAllOfItIsConsumed() throws TransportException {
    post(20);
    arrive(1, 5);
    for (int taken = 1; taken <= 4; taken++) {
      assertTrue(ring.awaitNext(Duration.ZERO));
      consume();
    }
    assertTrue(ring.awaitNext(Duration.ZERO));
    assertEquals(4, channel.groups().size());
    consume();
    assertFalse(ring.awaitNext(Duration.ZERO));
    assertEquals(5, channel.groups().size());
    assertEquals(20, channel.freeRooms());
  }

  @Test
  void shouldBeginWithAGroupAndGrowByOneEachTimeThePeerHasUsedHalfOfIt() throws TransportException {
    post(32, 8);
    assertEquals(List.of(8), channel.groups());
    assertEquals(8 * BUFFER_BYTES, memoryBytes);
    arrive(1, 3);
    assertEquals(marks(1, 3), consumeAll());
    assertEquals(List.of(8), channel.groups());
    arrive(4, 4);
    assertEquals(marks(4, 4), consumeAll());
    assertEquals(List.of(8, 8), channel.groups());
    for (int mark = 5; mark <= 16 + 3; mark++) {
      arrive(mark, mark);
      assertEquals(marks(mark, mark), consumeAll());
    }
    assertEquals(16 * BUFFER_BYTES, memoryBytes);
    arrive(20, 20);
    assertEquals(marks(20, 20), consumeAll());
    assertEquals(24 * BUFFER_BYTES, memoryBytes);
  }

  @Test
  void shouldGrowToItsFullSizeWhenThePeerFillsTheFirstGroup() throws TransportException {
    post(32, 8);
    arrive(1, 8);
    for (int mark = 1; mark <= 4; mark++) {
      assertTrue(ring.awaitNext(Duration.ZERO));
      assertEquals(mark, consume());
    }
    assertEquals(List.of(8, 8, 8, 8), channel.groups());
    assertEquals(24, channel.freeRooms());
    assertEquals(32 * BUFFER_BYTES, memoryBytes);
  }

  @ParameterizedTest
  @ValueSource(ints = {9, 12, 20, 32, 34, 64})
  void shouldGiveMessagesInOrderWhileItGrows(int receives) throws TransportException {
    post(receives, 8);
    int mark = 1;
    for (int round = 0; round < 200; round++) {
      int arriving = Math.min(channel.freeRooms(), 1 + round % 11);
      assertTrue(arriving > 0);
      arrive(mark, mark + arriving - 1);
      assertEquals(marks(mark, mark + arriving - 1), consumeAll());
      mark += arriving;
    }
    assertEquals(receives * BUFFER_BYTES, memoryBytes);
  }

  @Test
  void shouldNotGrowOnAFailedChannel() throws TransportException {
    post(32, 8);
    arrive(1, 8);
    TransportException gone = ScriptedSendChannel.peerGone();
    channel.fail(gone);
    assertEquals(marks(1, 8), List.of(consume8()));
    assertSame(gone, assertThrows(TransportException.class, () -> ring.awaitNext(LONG)));
    assertEquals(List.of(8), channel.groups());
  }

  private Integer[] consume8() throws TransportException {
    Integer[] marks = new Integer[8];
    for (int i = 0; i < marks.length; i++) {
      assertTrue(ring.awaitNext(LONG));
      marks[i] = consume();
    }
    return marks;
  }

  @Test
  void shouldGiveAMessageBeforeItsGroupIsFull() throws TransportException {
    post(20);
    arrive(1, 1);
    assertTrue(ring.awaitNext(LONG));
    assertTrue(ring.awaitNext(LONG), "it is still the same message");
    assertEquals(1, consume());
    assertFalse(ring.awaitNext(Duration.ofMillis(1)));
  }

  @Test
  void shouldWakeWhenAMessageArrives() throws Exception {
    post(20);
    FutureTask<Boolean> waiting = new FutureTask<>(() -> ring.awaitNext(LONG));
    new Thread(waiting).start();
    await().atMost(Duration.ofSeconds(20)).until(channel::isWaitedFor);
    assertFalse(waiting.isDone());
    arrive(1, 1);
    assertTrue(waiting.get(20, TimeUnit.SECONDS));
    assertEquals(1, consume());
  }

  @Test
  void shouldReturnWhenInterrupted() throws TransportException {
    post(20);
    Thread.currentThread().interrupt();
    assertFalse(ring.awaitNext(LONG));
    assertTrue(Thread.interrupted());
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 3, 5, 7, 13, 19, 20})
  void shouldGiveAllThatArrivedBeforeAFailure(int arrived) throws TransportException {
    post(20);
    arrive(1, arrived);
    TransportException gone = ScriptedSendChannel.peerGone();
    channel.fail(gone);
    for (int mark = 1; mark <= arrived; mark++) {
      assertTrue(ring.awaitNext(LONG));
      assertEquals(mark, consume());
    }
    assertSame(gone, assertThrows(TransportException.class, () -> ring.awaitNext(LONG)));
  }

  @Test
  void shouldWakeWhenTheChannelFails() throws Exception {
    post(20);
    FutureTask<Boolean> waiting = new FutureTask<>(() -> ring.awaitNext(LONG));
    new Thread(waiting).start();
    await().atMost(Duration.ofSeconds(20)).until(channel::isWaitedFor);
    channel.fail(ScriptedSendChannel.peerGone());
    ExecutionException end =
        assertThrows(ExecutionException.class, () -> waiting.get(20, TimeUnit.SECONDS));
    assertEquals(Reason.PEER_GONE, ((TransportException) end.getCause()).reason());
  }

  @Test
  void shouldFailForAMessageThatIsTooLongOnceItsGroupIsOver() throws TransportException {
    post(20);
    arrive(1, 2);
    channel.arrive(new byte[BUFFER_BYTES + 1]);
    arrive(4, 4);
    assertEquals(List.of(1, 2), consumeAll());
    arrive(5, 5);
    // Other messages may still move the channel, but none comes in order any more.
    await().atMost(Duration.ofSeconds(20)).until(() -> failureOfNext() == Reason.MESSAGE_TOO_LONG);
  }

  private Reason failureOfNext() {
    try {
      assertFalse(ring.awaitNext(Duration.ofMillis(50)));
      return null;
    } catch (TransportException e) {
      return e.reason();
    }
  }

  @Test
  void shouldFailToPostOnAFailedChannel() {
    TransportException gone = ScriptedSendChannel.peerGone();
    channel.fail(gone);
    assertSame(gone, assertThrows(TransportException.class, () -> post(20)));
  }
}
