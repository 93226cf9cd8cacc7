// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.connect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.meshtransport.spi.Transport;
import io.meshtransport.transport.endpoint.ImmediateData;
import io.meshtransport.transport.endpoint.WireToken;
import io.meshtransport.transport.rail.RailId;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ChannelParametersTest {
  private static final WireToken TOKEN = new WireToken(0x0102030405060708L, 0x090a0b0c0d0e0f10L);
  private static final String TOKEN_HEX = "0102030405060708090a0b0c0d0e0f10";
  private static final ChannelParameters SOME =
      new ChannelParameters(0x01020304, 1L << 30, 16, TOKEN);

  @Test
  void shouldLayOutItsBytesAndReadThemBack() {
    assertEquals(
        "05100000010203040000000040000000" + TOKEN_HEX, HexFormat.of().formatHex(SOME.encode()));
    assertEquals(SOME, ChannelParameters.decode(SOME.encode()));
  }

  @Test
  void shouldLayOutTheBytesOfARailAndReadThemBack() {
    RailId ticket = new RailId(0x1122334455667788L, 0x01020304, 64, 2);
    ChannelParameters rail =
        new ChannelParameters(0x01020304, 1L << 30, 16, Optional.of(ticket), TOKEN);

    assertEquals(
        "0610000001020304000000004000000011223344556677880102030440020000" + TOKEN_HEX,
        HexFormat.of().formatHex(rail.encode()));
    assertEquals(rail, ChannelParameters.decode(rail.encode()));
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
  void shouldRefuseARailThatCannotBe() {
    byte[] good =
        new ChannelParameters(1, 1L << 30, 16, Optional.of(new RailId(1, 0, 2, 1)), TOKEN).encode();
    byte[][] all = {
      {-1, 0, 0, 0, 2, 1},
      {0, 0, 0, 0, 0, 1},
      {0, 0, 0, 0, 65, 1},
      {0, 0, 0, 0, -1, 1},
      {0, 0, 0, 0, 2, 0},
      {0, 0, 0, 0, 2, 17}
    };
    for (byte[] wrong : all) {
      byte[] bytes = good.clone();
      System.arraycopy(wrong, 0, bytes, 24, wrong.length);
      assertThrows(IllegalArgumentException.class, () -> ChannelParameters.decode(bytes));
    }
  }

  @Test
  void shouldRefuseEveryOtherLength() {
    for (int length = 0; length < 48; length++) {
      byte[] cut = Arrays.copyOf(SOME.encode(), length);
      if (length != ChannelParameters.LENGTH_BYTES) {
        assertThrows(IllegalArgumentException.class, () -> ChannelParameters.decode(cut));
      }
    }
  }

  @Test
  void shouldRefuseAPeerWhosePartsCannotBeCounted() {
    long least = ChannelParameters.MIN_MESSAGE_BYTES;

    assertEquals(least, new ChannelParameters(1, least, 1, TOKEN).maxMessageBytes());
    assertThrows(
        IllegalArgumentException.class, () -> new ChannelParameters(1, least - 1, 1, TOKEN));
    assertThrows(IllegalArgumentException.class, () -> new ChannelParameters(1, -1, 1, TOKEN));
    assertEquals(true, Transport.MAX_MESSAGE_BYTES / least <= ImmediateData.MAX_FULL_PARTS);
  }

  @Test
  void shouldRefuseAnotherVersionAndAPeerThatTakesNoMessages() {
    byte[] next = SOME.encode();
    next[0]++;
    assertThrows(IllegalArgumentException.class, () -> ChannelParameters.decode(next));
    byte[] nothing = new byte[ChannelParameters.LENGTH_BYTES];
    nothing[0] = 3;
    assertThrows(IllegalArgumentException.class, () -> ChannelParameters.decode(nothing));
  }
}
