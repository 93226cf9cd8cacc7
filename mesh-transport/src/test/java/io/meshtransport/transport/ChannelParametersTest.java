package io.meshtransport.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.meshtransport.spi.Transport;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

class ChannelParametersTest {
  private static final ChannelParameters SOME = new ChannelParameters(0x01020304, 1L << 30, 16);

  @Test
  void shouldLayOutItsBytesAndReadThemBack() {
    assertEquals("01100000010203040000000040000000", HexFormat.of().formatHex(SOME.encode()));
    assertEquals(SOME, ChannelParameters.decode(SOME.encode()));
  }

  @Test
  void shouldTakeAPeerThatDoesNotSayHowManyReadsItServesForOne() {
    byte[] older = SOME.encode();
    older[1] = 0;
    assertEquals(1, ChannelParameters.decode(older).reads());
    assertEquals(1, ChannelParameters.reads(new byte[0]));
    assertEquals(16, ChannelParameters.reads(SOME.encode()));
  }

  @Test
  void shouldRefuseEveryOtherLength() {
    for (int length = 0; length < 40; length++) {
      byte[] cut = Arrays.copyOf(SOME.encode(), length);
      if (length != ChannelParameters.LENGTH_BYTES) {
        assertThrows(IllegalArgumentException.class, () -> ChannelParameters.decode(cut));
      }
    }
  }

  @Test
  void shouldRefuseAPeerWhosePartsCannotBeCounted() {
    long least = ChannelParameters.MIN_MESSAGE_BYTES;

    assertEquals(least, new ChannelParameters(1, least, 1).maxMessageBytes());
    assertThrows(IllegalArgumentException.class, () -> new ChannelParameters(1, least - 1, 1));
    assertThrows(IllegalArgumentException.class, () -> new ChannelParameters(1, -1, 1));
    assertEquals(true, Transport.MAX_MESSAGE_BYTES / least <= Notice.MAX_FULL_PARTS);
  }

  @Test
  void shouldRefuseAnotherVersionAndAPeerThatTakesNoMessages() {
    byte[] next = SOME.encode();
    next[0]++;
    assertThrows(IllegalArgumentException.class, () -> ChannelParameters.decode(next));
    byte[] nothing = new byte[ChannelParameters.LENGTH_BYTES];
    nothing[0] = 1;
    assertThrows(IllegalArgumentException.class, () -> ChannelParameters.decode(nothing));
  }
}
