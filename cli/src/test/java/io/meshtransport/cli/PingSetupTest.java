// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class PingSetupTest {
  @Test
  void shouldHaveTheDocumentedLayout() {
    ByteBuffer buffer = ByteBuffer.allocateDirect(PingSetup.MAX_LENGTH_BYTES);

    assertEquals(7, new PingSetup(0x01020304 >> 2, new byte[] {7, 8, 9}).writeTo(buffer));

    byte[] bytes = new byte[7];
    buffer.get(0, bytes);
    assertArrayEquals(new byte[] {0, 0x40, (byte) 0x80, (byte) 0xC1, 7, 8, 9}, bytes);
    assertEquals(0, buffer.position());
    PingSetup read = PingSetup.readFrom(buffer, 7);
    assertEquals(0x01020304 >> 2, read.messageBytes());
    assertArrayEquals(new byte[] {7, 8, 9}, read.handle());
  }

  @Test
  void shouldRefuseWhatNeedsTooMuchMemoryOrHasNoHandle() {
    ByteBuffer buffer = ByteBuffer.allocate(PingSetup.MAX_LENGTH_BYTES);
    for (int lengthBytes = 0; lengthBytes <= Integer.BYTES; lengthBytes++) {
      int length = lengthBytes;
      assertThrows(IllegalArgumentException.class, () -> PingSetup.readFrom(buffer, length));
    }
    buffer.putInt(0, PingSetup.MAX_MESSAGE_BYTES + 1);
    assertThrows(IllegalArgumentException.class, () -> PingSetup.readFrom(buffer, 7));
    buffer.putInt(0, -1);
    assertThrows(IllegalArgumentException.class, () -> PingSetup.readFrom(buffer, 7));
  }
}
