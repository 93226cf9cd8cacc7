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
    ByteBuffer slot = ByteBuffer.allocateDirect(BundleHeader.HEADER_BYTES);
    BundleHeader.put(slot, BundleHeader.BUNDLE, Integer.MAX_VALUE, 0);
    assertEquals(BundleHeader.VERSION, BundleHeader.version(slot));
    assertEquals(BundleHeader.BUNDLE, BundleHeader.kind(slot));
    assertEquals(Integer.MAX_VALUE, BundleHeader.lengthBytes(slot));
    assertEquals(0, BundleHeader.offsetBytes(slot));
    assertEquals(0, slot.position());
  }

  @Test
  void shouldIgnoreReservedBytes() {
    ByteBuffer slot =
        ByteBuffer.wrap(HexFormat.of().parseHex("0102ffff00000007000000" + "03ffffffff"));
    assertEquals(7, BundleHeader.lengthBytes(slot));
    assertEquals(3, BundleHeader.offsetBytes(slot));
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
