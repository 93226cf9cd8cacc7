// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.nic.LinkAddress;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

/** The handle: every byte pinned, every damage named. */
class PeerHandleTest {
  private static HandleAddress address(String text, int prefixLength, int nicIndex) {
    try {
      return new HandleAddress(
          new LinkAddress(InetAddress.getByName(text), prefixLength), nicIndex, 100_000);
    } catch (java.net.UnknownHostException e) {
      throw new AssertionError(e);
    }
  }

  private static PeerHandle sample() {
    return new PeerHandle(
        Samples.SENDER,
        0x91929394,
        0xC1C2,
        List.of(address("10.0.1.2", 24, 0), address("fd00::2", 127, 0x6061)));
  }

  private static HandleFormatException refused(byte[] bytes) {
    return assertThrows(HandleFormatException.class, () -> PeerHandle.decode(bytes));
  }

  /** With a CRC that fits, so that the check behind it is reached. */
  private static byte[] resealed(byte[] handle) {
    CRC32C crc = new CRC32C();
    crc.update(handle, 0, handle.length - Integer.BYTES);
    java.nio.ByteBuffer.wrap(handle).putInt(handle.length - Integer.BYTES, (int) crc.getValue());
    return handle;
  }

  @Test
  void shouldWriteTheHandleAsDrawn() throws Exception {
    String golden =
        "4d455348" // MESH
            + "0102c1c2" // version, count, port
            + "101112131415161718191a1b1c1d1e1f"
            + "0000000000000000" // reserved
            + "91929394" // listener id
            + "04180000" // IPv4, /24, NIC 0
            + "000186a0" // 100,000 Mb/s
            + "0a000102"
            + "067f6061" // IPv6, /127, NIC 0x6061
            + "000186a0"
            + "fd000000000000000000000000000002"
            + "c229b489";
    assertEquals(golden, HexFormat.of().formatHex(sample().encode()));
    assertEquals(sample(), PeerHandle.decode(HexFormat.of().parseHex(golden)));
  }

  @Test
  void shouldFitFourIpv4AddressesInto128Bytes() {
    List<HandleAddress> four = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      four.add(address("10.0." + i + ".1", 24, i));
    }
    assertEquals(88, new PeerHandle(Samples.SENDER, 1, 1, four).encode().length);
  }

  @Test
  void shouldFitSixteenIpv6AddressesInto512Bytes() {
    List<HandleAddress> sixteen = new ArrayList<>();
    for (int i = 0; i < PeerHandle.MAX_ADDRESSES; i++) {
      sixteen.add(address("fd00::" + i, 64, i));
    }
    assertEquals(424, new PeerHandle(Samples.SENDER, 1, 1, sixteen).encode().length);
    assertTrue(424 <= PeerHandle.MAX_LENGTH_BYTES);
    sixteen.add(address("10.0.0.1", 24, 0));
    assertThrows(
        IllegalArgumentException.class, () -> new PeerHandle(Samples.SENDER, 1, 1, sixteen));
  }

  @Test
  void shouldReadBackItsOwnText() throws Exception {
    String text = sample().toText();
    assertTrue(text.matches("mesh:[A-Za-z0-9_-]+"), text);
    assertEquals(sample(), PeerHandle.parse("  " + text + "\n"));
  }

  @Test
  void shouldRefuseTextThatIsNotAHandle() {
    String text = sample().toText();
    for (String bad :
        List.of(
            "",
            "mash:" + text,
            text.substring(0, text.length() - 1),
            text + "=",
            text.replace("mesh:", "mesh:!"),
            "mesh:")) {
      assertThrows(HandleFormatException.class, () -> PeerHandle.parse(bad), bad);
    }
  }

  @Test
  void shouldRefuseEveryTruncationAndEveryFlippedByte() {
    for (byte[] damaged : Samples.damaged(sample().encode())) {
      HandleFormatException refused = refused(damaged);
      assertTrue(refused.byteOffset() <= damaged.length, refused.getMessage());
      assertTrue(refused.getMessage().contains("at byte " + refused.byteOffset()));
    }
  }

  @Test
  void shouldRefuseRandomBytes() {
    Random random = new Random(Samples.seed());
    for (int i = 0; i < 20_000; i++) {
      byte[] noise = new byte[random.nextInt(PeerHandle.MAX_LENGTH_BYTES)];
      random.nextBytes(noise);
      int good = random.nextInt(40);
      System.arraycopy(sample().encode(), 0, noise, 0, Math.min(good, noise.length));
      refused(noise);
    }
  }

  @Test
  void shouldSayWhichByteIsWrong() {
    byte[] good = sample().encode();
    byte[] foreign = good.clone();
    foreign[2] = 'X';
    assertEquals(2, refused(foreign).byteOffset());
    assertTrue(refused(foreign).getMessage().contains("foreign"));

    byte[] version = good.clone();
    version[4] = 9;
    assertEquals(4, refused(version).byteOffset());
    assertTrue(refused(version).getMessage().contains("version 9"));

    byte[] damaged = good.clone();
    damaged[20] ^= 1;
    assertEquals(good.length - 4, refused(damaged).byteOffset());
    assertTrue(refused(damaged).getMessage().contains("CRC-32C"));

    byte[] cut = Arrays.copyOf(good, 50);
    assertEquals(50, refused(cut).byteOffset());
    assertTrue(refused(cut).getMessage().contains("cut"));

    assertEquals(good.length, refused(Arrays.copyOf(good, good.length + 1)).byteOffset());
  }

  @Test
  void shouldSayWhichByteIsWrongBehindAGoodCrc() {
    byte[] good = sample().encode();
    record Wrong(int offset, int value) {}
    for (Wrong wrong :
        List.of(
            new Wrong(5, 17), // more addresses than there can be
            new Wrong(36, 5), // family
            new Wrong(37, 33), // prefix of an IPv4 address
            new Wrong(40, 0x80), // speed
            new Wrong(49, 129))) { // prefix of an IPv6 address
      byte[] bad = good.clone();
      bad[wrong.offset] = (byte) wrong.value;
      assertEquals(wrong.offset, refused(resealed(bad)).byteOffset());
    }
    byte[] portZero = good.clone();
    portZero[6] = 0;
    portZero[7] = 0;
    assertEquals(6, refused(resealed(portZero)).byteOffset());
  }

  @Test
  void shouldRefuseAnIpv4AddressDressedAsIpv6() {
    byte[] good = sample().encode();
    byte[] mapped = Arrays.copyOfRange(good, 0, good.length);
    Arrays.fill(mapped, 56, 66, (byte) 0);
    mapped[66] = (byte) 0xFF;
    mapped[67] = (byte) 0xFF;
    assertEquals(56, refused(resealed(mapped)).byteOffset());
  }

  @Test
  void shouldIgnoreReservedBytes() throws Exception {
    byte[] later = sample().encode();
    Arrays.fill(later, 24, 32, (byte) 0xA5);
    assertEquals(sample(), PeerHandle.decode(resealed(later)));
  }

  @Test
  void shouldReadAHandleOutOfAPaddedOne() throws Exception {
    byte[] padded = Arrays.copyOf(sample().encode(), 128);
    assertEquals(sample(), PeerHandle.decodePadded(padded));
  }
}
