// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.link;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

class BundleHeaderTest {
  @Test
  void shouldWriteExactlyTheseBytesAndNoOthers() {
    byte[] bytes = new byte[20];
    Arrays.fill(bytes, (byte) 0xee);
    BundleHeader.put(
        ByteBuffer.wrap(bytes).position(7), BundleHeader.FRAGMENT, 0x01020304, 0x05060708);
    assertEquals("0103000001020304050607080000000" + "0eeeeeeee", HexFormat.of().formatHex(bytes));
  }

  @Test
  void shouldReadWhatItWroteInADirectBuffer() {
    ByteBuffer buffer = ByteBuffer.allocateDirect(BundleHeader.HEADER_BYTES);
    BundleHeader.put(buffer, BundleHeader.BUNDLE, Integer.MAX_VALUE, 0);
    assertEquals(BundleHeader.VERSION, BundleHeader.version(buffer));
    assertEquals(BundleHeader.BUNDLE, BundleHeader.kind(buffer));
    assertEquals(Integer.MAX_VALUE, BundleHeader.lengthBytes(buffer));
    assertEquals(0, BundleHeader.offsetBytes(buffer));
    assertEquals(0, buffer.position());
  }

  @Test
  void shouldIgnoreReservedBytes() {
    ByteBuffer buffer =
        ByteBuffer.wrap(HexFormat.of().parseHex("0102ffff00000007000000" + "03ffffffff"));
    assertEquals(7, BundleHeader.lengthBytes(buffer));
    assertEquals(3, BundleHeader.offsetBytes(buffer));
  }

  @Test
  void shouldKeepItsNumbersOnTheWire() {
    assertEquals(16, BundleHeader.HEADER_BYTES);
    assertEquals(1, BundleHeader.VERSION);
    assertEquals(1, BundleHeader.DIRECTORY);
    assertEquals(2, BundleHeader.BUNDLE);
    assertEquals(3, BundleHeader.FRAGMENT);
  }
}
