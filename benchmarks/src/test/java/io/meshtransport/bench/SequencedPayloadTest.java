// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class SequencedPayloadTest {
  private static final int BYTES = 32;
  private static final int SENT_PLACES = 2;
  private static final int SLOTS = 4;

  private final ByteBuffer out = ByteBuffer.allocate(SENT_PLACES * BYTES);
  private final ByteBuffer in = ByteBuffer.allocate(SLOTS * BYTES);
  private final SequencedPayload sent =
      new SequencedPayload(out, SENT_PLACES, BYTES, SENT_PLACES).writeBodies();
  private final SequencedPayload arrived = new SequencedPayload(in, SLOTS, BYTES, SENT_PLACES);

  private void move(long sequence) {
    arrived.clearIfVerified(sequence);
    sent.writeSequence(sequence);
    in.put(arrived.offset(sequence), out, sent.offset(sequence), BYTES);
  }

  @Test
  void shouldTakeEveryMessageAndCompareSome() {
    for (long sequence = 0; sequence < 2 * 256 * SLOTS; sequence++) {
      move(sequence);
      assertFalse(arrived.verifyAndCheckEnd(sequence, BYTES));
    }

    assertEquals(2 * SLOTS, arrived.verified());
  }

  @Test
  void shouldKnowTheEnd() {
    sent.writeEnd(1);
    in.put(arrived.offset(1), out, sent.offset(1), SequencedPayload.BYTES);

    assertTrue(arrived.verifyAndCheckEnd(1, SequencedPayload.BYTES));
  }

  @Test
  void shouldRefuseAMessageThatComesTwice() {
    move(0);
    in.put(arrived.offset(1), in, arrived.offset(0), BYTES);

    assertThrows(IllegalStateException.class, () -> arrived.verifyAndCheckEnd(1, BYTES));
  }

  @Test
  void shouldRefuseAMessageOfAnotherLength() {
    move(0);

    assertThrows(IllegalStateException.class, () -> arrived.verifyAndCheckEnd(0, BYTES - 1));
  }

  @Test
  void shouldRefuseAWrongByte() {
    move(0);
    in.put(BYTES - 1, (byte) ~in.get(BYTES - 1));

    IllegalStateException wrong =
        assertThrows(IllegalStateException.class, () -> arrived.verifyAndCheckEnd(0, BYTES));
    assertTrue(wrong.getMessage().contains("byte 31 is wrong"), wrong.getMessage());
  }

  @Test
  void shouldNotFindWhatAnEarlierMessageLeft() {
    long compared = 256 * SLOTS;
    move(compared - SLOTS);
    arrived.clearIfVerified(compared);
    sent.writeSequence(compared);
    in.put(arrived.offset(compared), out, sent.offset(compared), SequencedPayload.BYTES);

    assertThrows(IllegalStateException.class, () -> arrived.verifyAndCheckEnd(compared, BYTES));
  }
}
