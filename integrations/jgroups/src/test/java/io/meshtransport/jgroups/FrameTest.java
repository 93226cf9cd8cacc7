// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

class FrameTest {
  @Test
  void shouldWriteExactlyTheseBytesAndNoOthers() {
    byte[] bytes = new byte[20];
    Arrays.fill(bytes, (byte) 0xee);
    Frame.put(ByteBuffer.wrap(bytes).position(7), Frame.PART, 0x01020304, 0x05060708);
    assertEquals("0103000001020304050607080000000" + "0eeeeeeee", HexFormat.of().formatHex(bytes));
  }

  @Test
  void shouldReadWhatItWroteInADirectBuffer() {
    ByteBuffer slot = ByteBuffer.allocateDirect(Frame.HEADER_BYTES);
    Frame.put(slot, Frame.BUNDLE, Integer.MAX_VALUE, 0);
    assertEquals(Frame.VERSION, Frame.version(slot));
    assertEquals(Frame.BUNDLE, Frame.kind(slot));
    assertEquals(Integer.MAX_VALUE, Frame.lengthBytes(slot));
    assertEquals(0, Frame.offsetBytes(slot));
    assertEquals(0, slot.position());
  }

  @Test
  void shouldIgnoreReservedBytes() {
    ByteBuffer slot =
        ByteBuffer.wrap(HexFormat.of().parseHex("0102ffff00000007000000" + "03ffffffff"));
    assertEquals(7, Frame.lengthBytes(slot));
    assertEquals(3, Frame.offsetBytes(slot));
  }

  @Test
  void shouldKeepItsNumbersOnTheWire() {
    assertEquals(16, Frame.HEADER_BYTES);
    assertEquals(1, Frame.VERSION);
    assertEquals(1, Frame.DIRECTORY);
    assertEquals(2, Frame.BUNDLE);
    assertEquals(3, Frame.PART);
  }
}
