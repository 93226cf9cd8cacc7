// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Also tests {@link Outgoing}. */
class ReassemblyTest {
  private static final int MAX_BYTES = 1 << 20;

  private final Reassembly reassembly = new Reassembly(MAX_BYTES);

  private static ByteBuffer frame(byte kind, int flags, int lengthBytes, long id, int count) {
    ByteBuffer frame = ByteBuffer.allocate(Frame.HEADER_BYTES + count);
    Frame.put(frame, kind, (byte) flags, lengthBytes, id);
    return frame;
  }

  @ParameterizedTest
  @CsvSource({"1000, 100", "84, 100", "85, 100", "168, 100", "300000, 4096", "1048576, 16384"})
  void shouldPutTogetherWhatWasCut(int lengthBytes, int slotBytes) throws ProtocolException {
    byte[] message = new byte[lengthBytes];
    new Random(lengthBytes).nextBytes(message);
    Outgoing outgoing = Outgoing.copyOf(ByteBuffer.wrap(message), Frame.MESSAGE, 5, null, null);
    ByteBuffer slot = ByteBuffer.allocate(slotBytes);
    int frames = 0;
    boolean isComplete = false;
    while (!outgoing.isSent()) {
      assertFalse(isComplete);
      int frameBytes = outgoing.writeFrame(slot);
      outgoing.frameSent(frameBytes);
      isComplete = reassembly.add(slot.duplicate().limit(frameBytes));
      frames++;
    }
    assertTrue(isComplete);
    int capacity = slotBytes - Frame.HEADER_BYTES;
    assertEquals((lengthBytes + capacity - 1) / capacity, frames);
    assertEquals(ByteBuffer.wrap(message), reassembly.message());
    assertFalse(reassembly.isUnderWay());
  }

  @ParameterizedTest
  @CsvSource({
    "another kind, 3, 1, 1000, 7, 10",
    "another id, 2, 1, 1000, 8, 10",
    "another length, 2, 1, 1001, 7, 10",
    "too much, 2, 1, 1000, 7, 901",
    "more behind the end, 2, 1, 1000, 7, 900",
    "the end too early, 2, 0, 1000, 7, 10",
    "nothing, 2, 1, 1000, 7, 0"
  })
  void shouldRefuseWhatIsNotTheNextFrame(
      String why, byte kind, int flags, int lengthBytes, long id, int count)
      throws ProtocolException {
    reassembly.add(frame(Frame.MESSAGE, Frame.MORE, 1000, 7, 100));
    assertThrows(
        ProtocolException.class,
        () -> reassembly.add(frame(kind, flags, lengthBytes, id, count)),
        why);
  }

  @Test
  void shouldRefuseLengthsThatAreNoMessages() {
    for (int lengthBytes : new int[] {MAX_BYTES + 1, 0, -1, Integer.MIN_VALUE}) {
      assertThrows(
          ProtocolException.class,
          () -> reassembly.add(frame(Frame.MESSAGE, Frame.MORE, lengthBytes, 7, 100)));
    }
  }
}
