// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.relay;

import static io.meshtransport.relay.SendingHalf.State.ARRIVED;
import static io.meshtransport.relay.SendingHalf.State.CLOSING;
import static io.meshtransport.relay.SendingHalf.State.FIN_SENT;
import static io.meshtransport.relay.SendingHalf.State.WRITING;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SendingHalfTest {
  private static final Map<SendingHalf.State, Set<SendingHalf.State>> ARROWS =
      Map.of(
          WRITING, EnumSet.of(CLOSING),
          CLOSING, EnumSet.of(FIN_SENT, ARRIVED),
          FIN_SENT, EnumSet.of(CLOSING, ARRIVED),
          ARRIVED, EnumSet.noneOf(SendingHalf.State.class));

  private static final int PAYLOAD_BYTES = 100;

  private final SendingHalf half = new SendingHalf();
  private final ByteBuffer chunk = ByteBuffer.allocate(PAYLOAD_BYTES);

  @BeforeEach
  void shortChunks() {
    half.payloadBytes(PAYLOAD_BYTES);
  }

  private int fill() {
    return half.fill(chunk, 0);
  }

  private int write(int count) {
    return half.write(ByteBuffer.allocate(count));
  }

  @ParameterizedTest
  @EnumSource
  void shouldBecomeWhatTheArrowsLeadToAlone(SendingHalf.State from) {
    for (SendingHalf.State to : SendingHalf.State.values()) {
      assertEquals(ARROWS.get(from).contains(to), from.mayBecome(to), from + " to " + to);
    }
  }

  @Test
  void shouldKeepBytesUntilTheyAreFlushedOrFillAChunk() {
    write(PAYLOAD_BYTES - 1);
    assertFalse(half.flushIfDue());
    assertFalse(half.hasMore());
    write(1);
    assertTrue(half.flushIfDue());
    assertEquals(PAYLOAD_BYTES, fill());
    write(1);
    assertTrue(half.flush());
    assertFalse(half.flush(), "there is nothing new");
    assertEquals(1, fill());
  }

  @Test
  void shouldSendNoMoreThanThePeerHasSpaceFor() {
    write((int) ReceivingHalf.FIRST_LIMIT_BYTES + 10);
    half.flush();
    half.payloadBytes(1 << 20);
    assertEquals(ReceivingHalf.FIRST_LIMIT_BYTES, half.fill(ByteBuffer.allocate(1 << 20), 0));
    assertFalse(half.hasMore());
    half.acknowledge(0, ReceivingHalf.FIRST_LIMIT_BYTES + 3);
    assertEquals(3, fill());
    half.acknowledge(0, 0);
    assertFalse(half.hasMore(), "a limit that is less than one before");
    assertTrue(half.isWaiting());
  }

  @Test
  void shouldSendAgainFromTheFirstByteThatThePeerLacks() {
    for (int i = 0; i < 3; i++) {
      half.write(ByteBuffer.wrap(new byte[] {(byte) i}));
    }
    half.flush();
    assertEquals(3, fill());
    assertTrue(half.acknowledge(1, 0));
    half.goBack();
    assertEquals(1, half.sentBytes());
    assertEquals(2, fill());
    assertEquals(1, chunk.get(0));
    assertEquals(2, chunk.get(1));
  }

  /** An acknowledgement of what was sent the first time comes while it is sent again. */
  @Test
  void shouldNotSendAgainWhatHasComeMeanwhile() {
    write(50);
    half.close();
    fill();
    half.goBack();
    assertEquals(CLOSING, half.state());
    assertTrue(half.acknowledge(50, 0));
    assertEquals(0, fill());
    assertEquals(FIN_SENT, half.state());
    half.goBack();
    assertTrue(half.acknowledge(51, 0));
    assertEquals(ARRIVED, half.state());
  }

  @Test
  void shouldEndWithTheFin() {
    write(PAYLOAD_BYTES + 1);
    half.close();
    assertTrue(half.isClosing());
    assertEquals(0, write(1));
    assertEquals(0, half.freeBytes(1));
    fill();
    assertFalse(half.isFinSent());
    assertFalse(half.wasFinSent());
    assertEquals(1, fill());
    assertTrue(half.isFinSent());
    half.goBack();
    assertFalse(half.isFinSent());
    assertTrue(half.wasFinSent());
    half.close();
    assertEquals(CLOSING, half.state());
  }

  @Test
  void shouldIgnoreAcknowledgementsOfWhatWasNeverSent() {
    write(10);
    half.close();
    assertFalse(half.acknowledge(11, 0));
    assertFalse(half.acknowledge(10, 0));
    assertEquals(CLOSING, half.state());
    fill();
    assertFalse(half.acknowledge(12, 0));
    assertTrue(half.acknowledge(11, 0));
    assertEquals(ARRIVED, half.state());
  }

  @Test
  void shouldSayOnceThatThereIsTheSpaceThatItsWriterWaitsFor() {
    half.acknowledge(0, Long.MAX_VALUE);
    assertEquals(SendingHalf.WINDOW_BYTES, write(SendingHalf.WINDOW_BYTES + 1));
    assertTrue(half.flushIfDue());
    assertFalse(half.endWriterWait());
    assertEquals(0, half.freeBytes(150));
    fill();
    fill();
    half.acknowledge(100, 0);
    assertFalse(half.endWriterWait(), "it waits for 150");
    half.acknowledge(200, 0);
    assertTrue(half.endWriterWait());
    assertFalse(half.endWriterWait());
    assertEquals(200, half.freeBytes(200));
  }
}
