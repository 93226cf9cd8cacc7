// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class StampsTest {
  private static final int BYTES = 32;
  private static final int SENT_PLACES = 2;
  private static final int PLACES = 4;

  private final ByteBuffer out = ByteBuffer.allocate(SENT_PLACES * BYTES);
  private final ByteBuffer in = ByteBuffer.allocate(PLACES * BYTES);
  private final Stamps sent = new Stamps(out, SENT_PLACES, BYTES, SENT_PLACES).fill();
  private final Stamps arrived = new Stamps(in, PLACES, BYTES, SENT_PLACES);

  private void move(long sequence) {
    arrived.prepare(sequence);
    sent.stamp(sequence);
    in.put(arrived.offset(sequence), out, sent.offset(sequence), BYTES);
  }

  @Test
  void shouldTakeEveryMessageAndCompareSome() {
    for (long sequence = 0; sequence < 2 * 256 * PLACES; sequence++) {
      move(sequence);
      assertFalse(arrived.isEnd(sequence, BYTES));
    }

    assertEquals(2 * PLACES, arrived.checked());
  }

  @Test
  void shouldKnowTheEnd() {
    sent.stampEnd(1);
    in.put(arrived.offset(1), out, sent.offset(1), Stamps.BYTES);

    assertTrue(arrived.isEnd(1, Stamps.BYTES));
  }

  @Test
  void shouldRefuseAMessageThatComesTwice() {
    move(0);
    in.put(arrived.offset(1), in, arrived.offset(0), BYTES);

    assertThrows(IllegalStateException.class, () -> arrived.isEnd(1, BYTES));
  }

  @Test
  void shouldRefuseAMessageOfAnotherLength() {
    move(0);

    assertThrows(IllegalStateException.class, () -> arrived.isEnd(0, BYTES - 1));
  }

  @Test
  void shouldRefuseAWrongByte() {
    move(0);
    in.put(BYTES - 1, (byte) ~in.get(BYTES - 1));

    IllegalStateException wrong =
        assertThrows(IllegalStateException.class, () -> arrived.isEnd(0, BYTES));
    assertTrue(wrong.getMessage().contains("byte 31 is wrong"), wrong.getMessage());
  }

  @Test
  void shouldNotFindWhatAnEarlierMessageLeft() {
    long compared = 256 * PLACES;
    move(compared - PLACES);
    arrived.prepare(compared);
    sent.stamp(compared);
    in.put(arrived.offset(compared), out, sent.offset(compared), Stamps.BYTES);

    assertThrows(IllegalStateException.class, () -> arrived.isEnd(compared, BYTES));
  }
}
