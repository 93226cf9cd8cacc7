// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.connect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.spi.ConnectOptions;
import io.meshtransport.spi.Transport;
import io.meshtransport.transport.endpoint.ImmediateData;
import io.meshtransport.transport.endpoint.WireToken;
import io.meshtransport.transport.rail.RailId;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
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
        "0b100000010203040000000040000000" + TOKEN_HEX, HexFormat.of().formatHex(SOME.encode()));
    assertEquals(SOME, ChannelParameters.decode(SOME.encode()));
  }

  @Test
  void shouldLayOutTheBytesOfARailAndReadThemBack() {
    RailId ticket = new RailId(0x1122334455667788L, 0x01020304, 64, 2);
    ChannelParameters rail =
        new ChannelParameters(
            0x01020304,
            1L << 30,
            16,
            Optional.of(ticket),
            TOKEN,
            "",
            Optional.empty(),
            Transport.MAX_REQUESTS);

    assertEquals(
        "0b100100010203040000000040000000" + TOKEN_HEX + "11223344556677880102030440020000",
        HexFormat.of().formatHex(rail.encode()));
    assertEquals(rail, ChannelParameters.decode(rail.encode()));
  }

  @Test
  void shouldLayOutTheBytesOfARailOfAConnectionAndReadThemBack() {
    RailId ticket = new RailId(0x1122334455667788L, 3, 4, 2, 5);
    ChannelParameters rail =
        new ChannelParameters(
            0x01020304,
            1L << 30,
            16,
            Optional.of(ticket),
            TOKEN,
            "b",
            Optional.of(ByteBuffer.wrap(new byte[] {0x68})),
            64);

    assertEquals(
        "0b100301010203040000000040000000"
            + TOKEN_HEX
            + "11223344556677880000000304020400"
            + "62"
            + "0040"
            + "0001"
            + "68",
        HexFormat.of().formatHex(rail.encode()));
    assertEquals(rail, ChannelParameters.decode(rail.encode()));
    byte[] tooMany = rail.encode();
    tooMany[46] = 16;
    assertThrows(IllegalArgumentException.class, () -> ChannelParameters.decode(tooMany));
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
        new ChannelParameters(
                1,
                1L << 30,
                16,
                Optional.of(new RailId(1, 0, 2, 1)),
                TOKEN,
                "",
                Optional.empty(),
                Transport.MAX_REQUESTS)
            .encode();
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
      System.arraycopy(wrong, 0, bytes, 40, wrong.length);
      assertThrows(IllegalArgumentException.class, () -> ChannelParameters.decode(bytes));
    }
  }

  @Test
  void shouldLayOutTheBytesOfAConnectionAndReadThemBack() {
    ChannelParameters connection = connection("b\u00e9", "hi".getBytes(StandardCharsets.UTF_8));

    assertEquals(
        "0b100203010203040000000040000000" + TOKEN_HEX + "62c3a9" + "0fff" + "0002" + "6869",
        HexFormat.of().formatHex(connection.encode()));
    ChannelParameters read = ChannelParameters.decode(connection.encode());
    assertEquals(connection, read);
    assertEquals("hi", new String(read.helloBytes(), StandardCharsets.UTF_8));
    assertTrue(read.isConnection());
    assertTrue(ChannelParameters.decode(connection("", new byte[0]).encode()).isConnection());
    assertFalse(SOME.isConnection());
  }

  @Test
  void shouldRefuseEveryOtherLength() {
    for (ChannelParameters some : List.of(SOME, connection("name", new byte[256]))) {
      byte[] whole = some.encode();
      for (int length = 0; length < whole.length + 8; length++) {
        byte[] cut = Arrays.copyOf(whole, length);
        if (length != whole.length) {
          assertThrows(IllegalArgumentException.class, () -> ChannelParameters.decode(cut));
        }
      }
    }
  }

  @Test
  void shouldRefuseNamesAndFlagsThatCannotBe() {
    byte[] good = connection("name", new byte[2]).encode();
    for (int[] wrong : new int[][] {{2, 3}, {2, 4}, {3, 33}, {3, 255}, {32, 7}, {32, 0xFF}}) {
      byte[] bytes = good.clone();
      bytes[wrong[0]] = (byte) wrong[1];
      assertThrows(IllegalArgumentException.class, () -> ChannelParameters.decode(bytes));
    }
  }

  private static ChannelParameters connection(String name, byte[] hello) {
    return new ChannelParameters(
        0x01020304,
        1L << 30,
        16,
        Optional.empty(),
        TOKEN,
        name,
        Optional.of(ByteBuffer.wrap(hello)),
        0xFFF);
  }

  @Test
  void shouldRefuseNumbersOfRequestsThatCannotBe() {
    byte[] bytes = connection("", new byte[2]).encode();
    int at = bytes.length - 6;
    for (int wrong : new int[] {0, ConnectOptions.MAX_REQUESTS + 1, 0xFFFF}) {
      bytes[at] = (byte) (wrong >> 8);
      bytes[at + 1] = (byte) wrong;
      String text =
          assertThrows(IllegalArgumentException.class, () -> ChannelParameters.decode(bytes))
              .getMessage();
      assertTrue(text.contains(wrong + " requests at once"), text);
    }
    for (int possible : new int[] {1, 64, ConnectOptions.MAX_REQUESTS}) {
      bytes[at] = (byte) (possible >> 8);
      bytes[at + 1] = (byte) possible;
      assertEquals(possible, ChannelParameters.decode(bytes).requests());
    }
    assertEquals(Transport.MAX_REQUESTS, ChannelParameters.decode(SOME.encode()).requests());
  }

  @Test
  void shouldRefuseAPeerWhosePartsCannotBeCounted() {
    long least = ChannelParameters.MIN_MESSAGE_BYTES;

    assertEquals(least, new ChannelParameters(1, least, 1, TOKEN).maxMessageBytes());
    assertThrows(
        IllegalArgumentException.class, () -> new ChannelParameters(1, least - 1, 1, TOKEN));
    assertThrows(IllegalArgumentException.class, () -> new ChannelParameters(1, -1, 1, TOKEN));
    assertEquals(Transport.MAX_MESSAGE_BYTES / least - 1, ImmediateData.MAX_FULL_PARTS);
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
