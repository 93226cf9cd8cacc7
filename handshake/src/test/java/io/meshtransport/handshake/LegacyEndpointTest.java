// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.meshtransport.handshake.HandshakeException.Reason;
import io.meshtransport.nic.Gid;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Pins the 32 bytes that are the C plugin's whole handshake. */
class LegacyEndpointTest {
  /** QPN 65544 is one that 16 bits cannot hold. */
  private static final String FROM_CONNECTOR =
      "00010008" // queue pair number
          + "00000000" // PSN
          + "00000000000000000000ffff0a000102"
          + "0a000102" // IPv4
          + "01010000"; // GID row, NIC, reserved

  private static LegacyEndpoint connector() throws Exception {
    InetAddress ip = InetAddress.getByName("10.0.1.2");
    return new LegacyEndpoint(65544, 0, Gid.of(ip), (Inet4Address) ip, 1, 1);
  }

  private static byte[] bytes() {
    return HexFormat.of().parseHex(FROM_CONNECTOR);
  }

  @Test
  void shouldPinEveryByte() throws Exception {
    assertEquals(32, LegacyEndpoint.LENGTH_BYTES);
    assertEquals(FROM_CONNECTOR, HexFormat.of().formatHex(connector().encode()));
    assertEquals(connector(), LegacyEndpoint.decode(bytes()));
  }

  @Test
  void shouldReadAnAnswerWithoutGidAndAddress() throws Exception {
    LegacyEndpoint answer =
        LegacyEndpoint.decode(
            HexFormat.of().parseHex("00ffffff" + "00ffffff" + "00".repeat(20) + "0002ffff"));

    Inet4Address none = (Inet4Address) InetAddress.getByName("0.0.0.0");
    assertEquals(new LegacyEndpoint(0xFFFFFF, 0xFFFFFF, Gid.ZERO, none, 0, 2), answer);
  }

  @ParameterizedTest
  @ValueSource(strings = {"0000000000000000", "0100000000000000", "0000000201000000"})
  void shouldRefuseNumbersThatNoQueuePairHas(String numbers) {
    byte[] raw = bytes();
    System.arraycopy(HexFormat.of().parseHex(numbers), 0, raw, 0, 8);

    WireException refused = assertThrows(WireException.class, () -> LegacyEndpoint.decode(raw));
    assertEquals(Reason.GARBAGE, refused.reason());
  }

  @Test
  void shouldAssembleTheMessageFromAnyPieces() throws Exception {
    Random random = new Random(1);
    for (int round = 0; round < 1000; round++) {
      LegacyAssembler assembler = new LegacyAssembler();
      byte[] raw = bytes();
      int at = 0;
      while (at < raw.length) {
        int next = at + 1 + random.nextInt(raw.length - at);
        Optional<byte[]> whole = assembler.assemble(ByteBuffer.wrap(raw, at, next - at));
        assertEquals(next == raw.length, whole.isPresent());
        at = next;
        if (whole.isPresent()) {
          assertArrayEquals(raw, whole.get());
        }
      }
      assertFalse(assembler.assemble(ByteBuffer.allocate(0)).isPresent());
    }
  }

  @Test
  void shouldRefuseAForeignProgramByItsFirstByte() {
    byte[] hello = {'M'};
    WireException refused =
        assertThrows(
            WireException.class, () -> new LegacyAssembler().assemble(ByteBuffer.wrap(hello)));
    assertEquals(Reason.GARBAGE, refused.reason());
  }

  @Test
  void shouldRefuseBytesAfterTheLastFrame() throws Exception {
    assertThrows(
        WireException.class,
        () -> new LegacyAssembler().assemble(ByteBuffer.wrap(Arrays.copyOf(bytes(), 33))));

    LegacyAssembler later = new LegacyAssembler();
    later.assemble(ByteBuffer.wrap(bytes()));
    assertThrows(WireException.class, () -> later.assemble(ByteBuffer.wrap(new byte[1])));
  }
}
