// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.overlay;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.softverbs.rc.WireProof;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** The bytes with which a flow of queue pairs begins. */
class FlowHelloTest {
  private static byte[] filled(int value) {
    byte[] bytes = new byte[WireProof.LENGTH_BYTES];
    Arrays.fill(bytes, (byte) value);
    return bytes;
  }

  private static final WireProof.Id STREAM = new WireProof.Id(ByteBuffer.wrap(filled(0x11)));

  @Test
  void shouldHaveTheBytesOfTheDocument() {
    ByteBuffer hello = FlowHello.hello(STREAM, filled(0x22));
    assertEquals(
        "4d535746" + "00010000" + "11".repeat(16) + "22".repeat(16),
        HexFormat.of().formatHex(hello.array()));
    assertEquals(40, hello.remaining());
    assertEquals(
        "33".repeat(16) + "44".repeat(16),
        HexFormat.of().formatHex(FlowHello.answer(filled(0x33), filled(0x44)).array()));
    assertEquals(16, FlowHello.PROOF_BYTES);
  }

  @Test
  void shouldReadWhatItWrites() {
    ByteBuffer hello = FlowHello.hello(STREAM, filled(0x22));
    assertTrue(FlowHello.isHello(hello));
    assertEquals(STREAM, FlowHello.stream(hello));
    assertArrayEquals(filled(0x22), FlowHello.helloNonce(hello));
    ByteBuffer answer = FlowHello.answer(filled(0x33), filled(0x44));
    assertArrayEquals(filled(0x33), FlowHello.answerNonce(answer));
    assertArrayEquals(filled(0x44), FlowHello.answerProof(answer));
    assertEquals(
        "22".repeat(16) + "33".repeat(16),
        HexFormat.of().formatHex(FlowHello.session(filled(0x22), filled(0x33))));
  }

  @Test
  void shouldRefuseForeignMagicAndOtherVersions() {
    for (int at : new int[] {0, 1, 2, 3, 4, 5}) {
      ByteBuffer hello = FlowHello.hello(STREAM, filled(0x22));
      hello.put(at, (byte) (hello.get(at) ^ 1));
      assertFalse(FlowHello.isHello(hello), "byte " + at);
    }
  }

  @Test
  void shouldIgnoreReservedBytes() {
    ByteBuffer hello = FlowHello.hello(STREAM, filled(0x22));
    assertTrue(FlowHello.isHello(hello.put(6, (byte) 1).put(7, (byte) 1)));
  }
}
