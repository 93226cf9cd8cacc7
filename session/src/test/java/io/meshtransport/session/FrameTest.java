// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.spi.ConnectOptions;
import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class FrameTest {
  private static final SessionOptions OPTIONS = SessionOptions.DEFAULT;

  private static String refusal(byte[] hello) {
    return assertThrows(ProtocolException.class, () -> Frame.requireHello(hello, OPTIONS))
        .getMessage();
  }

  @Test
  void shouldReadWhatItWrites() {
    ByteBuffer frame = ByteBuffer.allocateDirect(Frame.HEADER_BYTES);
    Frame.put(frame, Frame.REQUEST, Frame.MORE, 0x01020304, 0x05060708090a0b0cL);
    byte[] bytes = new byte[Frame.HEADER_BYTES];
    frame.get(0, bytes);
    assertEquals("[3, 1, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]", Arrays.toString(bytes));
    assertEquals(Frame.REQUEST, Frame.kind(frame));
    assertTrue(Frame.hasMore(frame));
    assertEquals(0x01020304, Frame.lengthBytes(frame));
    assertEquals(0x05060708090a0b0cL, Frame.id(frame));
    Frame.put(frame, Frame.MESSAGE, (byte) 0, 0, 0);
    assertFalse(Frame.hasMore(frame));
  }

  @Test
  void shouldAcceptTheHelloOfItsLike() {
    byte[] hello = Frame.hello("Köln 1", OPTIONS);
    assertEquals("Köln 1", assertDoesNotThrow(() -> Frame.requireHello(hello, OPTIONS)));
    String longest = "x".repeat(Frame.MAX_NAME_BYTES);
    assertEquals(ConnectOptions.MAX_HELLO_BYTES, Frame.hello(longest, OPTIONS).length);
  }

  @Test
  void shouldSayWhatIsWrongWithAHello() {
    assertTrue(refusal(new byte[0]).contains("not that of a session"));
    assertTrue(refusal(new byte[16]).contains("not that of a session"));
    byte[] newer = Frame.hello("a", OPTIONS);
    newer[4] = 9;
    assertTrue(refusal(newer).contains("version 9"));
    String other = refusal(Frame.hello("a", OPTIONS.lengths(1 << 12, 1 << 20)));
    assertTrue(other.contains("4096") && other.contains("16384"), other);
    byte[] nameless = Frame.hello("a", OPTIONS);
    nameless[5] = 0;
    assertTrue(refusal(nameless).contains("a name of 0"));
    nameless[5] = 2;
    assertTrue(refusal(nameless).contains("a name of 2"));
    assertTrue(refusal(Frame.hello("a\n", OPTIONS)).contains("control characters"));
  }

  @Test
  void shouldKnowTheNamesThatSessionsCanHave() {
    assertThrows(IllegalArgumentException.class, () -> Frame.requireName(""));
    assertThrows(IllegalArgumentException.class, () -> Frame.requireName("a\tb"));
    String tooLong = "x".repeat(Frame.MAX_NAME_BYTES + 1);
    assertThrows(IllegalArgumentException.class, () -> Frame.requireName(tooLong));
  }
}
