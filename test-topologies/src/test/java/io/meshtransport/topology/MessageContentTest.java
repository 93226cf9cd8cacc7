// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MessageContentTest {
  private static final MessageContent CONTENT = new MessageContent(7, "a", "b");
  private static final int OFFSET = 3;

  private static ByteBuffer filled(MessageContent content, int lengthBytes, long sequence) {
    ByteBuffer buffer = ByteBuffer.allocateDirect(OFFSET + lengthBytes + 1);
    content.fill(buffer, OFFSET, lengthBytes, sequence);
    return buffer;
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 7, 8, 9, 63, 64, 65, 4096})
  void shouldAcceptWhatItWroteAndNothingElse(int lengthBytes) {
    ByteBuffer buffer = filled(CONTENT, lengthBytes, 5);

    assertEquals(MessageContent.NONE, CONTENT.firstWrongByte(buffer, OFFSET, lengthBytes, 5));
    for (int i = 0; i < lengthBytes; i++) {
      byte right = buffer.get(OFFSET + i);
      buffer.put(OFFSET + i, (byte) (right ^ 0x10));
      assertEquals(i, CONTENT.firstWrongByte(buffer, OFFSET, lengthBytes, 5));
      buffer.put(OFFSET + i, right);
    }
  }

  @Test
  void shouldStayWithinTheMessage() {
    ByteBuffer buffer = filled(CONTENT, 21, 0);

    for (int outside : new int[] {0, 1, 2, OFFSET + 21}) {
      assertEquals(0, buffer.get(outside));
    }
    assertEquals(0, buffer.position());
    assertEquals(buffer.capacity(), buffer.limit());
  }

  @Test
  void shouldDifferBetweenMessagesDirectionsAndRuns() {
    ByteBuffer buffer = filled(CONTENT, 64, 5);

    assertNotEquals(MessageContent.NONE, CONTENT.firstWrongByte(buffer, OFFSET, 64, 6));
    for (MessageContent other :
        new MessageContent[] {
          new MessageContent(7, "b", "a"),
          new MessageContent(7, "a", "c"),
          new MessageContent(8, "a", "b"),
        }) {
      assertNotEquals(MessageContent.NONE, other.firstWrongByte(buffer, OFFSET, 64, 5));
    }
  }

  @Test
  void shouldSayWhichByteOfWhichMessageIsWrong() {
    ByteBuffer buffer = filled(CONTENT, 64, 5);
    buffer.put(OFFSET + 33, (byte) ~buffer.get(OFFSET + 33));

    WrongContent wrong =
        assertThrows(
            WrongContent.class, () -> WrongContent.check(buffer, OFFSET, CONTENT, 5, 64, 64));
    assertEquals("message 5 from a to b of 64 bytes: byte 33 is wrong, seed 7", wrong.getMessage());
    WrongContent cut =
        assertThrows(
            WrongContent.class, () -> WrongContent.check(buffer, OFFSET, CONTENT, 5, 64, 63));
    assertEquals("message 5 from a to b: 64 bytes sent, 63 here", cut.getMessage());
  }
}
