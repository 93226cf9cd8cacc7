// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import io.meshtransport.nic.LinkAddress;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * One address in a {@link LegacyHandle}. Address and mask are in network order, the rest in the
 * order of the C plugin's host, which is little-endian on both machines it runs on (x86_64 and
 * aarch64).
 *
 * <pre>
 *   0        1        2        3
 *  +--------+--------+--------+--------+
 *  |           IPv4 address            |   network order
 *  +--------+--------+--------+--------+
 *  |               mask                |   network order; the C plugin sends it and never reads it
 *  +--------+--------+--------+--------+
 *  | queue pair (u16)| NIC    | GID row|   an unused queue pair, cut to 16 bits: written as 0 and
 *  +--------+--------+--------+--------+   ignored when read
 * </pre>
 *
 * @param link IPv4 address and prefix length
 * @param nicIndex which of the listener's NICs, 0 to 255; the connector repeats it
 * @param gidIndex row of the listener's GID table, 0 to 255; for people only
 */
public record LegacyAddress(LinkAddress link, int nicIndex, int gidIndex) {
  static final int IP_OFFSET = 0;
  static final int MASK_OFFSET = IP_OFFSET + Integer.BYTES;
  static final int QP_NUMBER_OFFSET = MASK_OFFSET + Integer.BYTES;
  static final int NIC_INDEX_OFFSET = QP_NUMBER_OFFSET + Short.BYTES;
  static final int GID_INDEX_OFFSET = NIC_INDEX_OFFSET + Byte.BYTES;
  static final int LENGTH_BYTES = GID_INDEX_OFFSET + Byte.BYTES;

  private static final int ALL_ONES = -1;

  public LegacyAddress {
    Objects.requireNonNull(link, "link");
    if (!link.isIpv4()) {
      throw new IllegalArgumentException(link + ": the C plugin's wire carries IPv4 only");
    }
    requireByte("NIC index", nicIndex);
    requireByte("GID index", gidIndex);
  }

  private static void requireByte(String name, int value) {
    if (value < 0 || value > 0xFF) {
      throw new IllegalArgumentException(name + " " + value + " is outside 0..255");
    }
  }

  /** Writes the entry at an offset of a little-endian buffer. */
  void writeTo(ByteBuffer bytes, int offset) {
    bytes
        .put(offset + IP_OFFSET, link.address().getAddress())
        .putInt(offset + MASK_OFFSET, Integer.reverseBytes(mask(link.prefixLength())))
        .putShort(offset + QP_NUMBER_OFFSET, (short) 0)
        .put(offset + NIC_INDEX_OFFSET, (byte) nicIndex)
        .put(offset + GID_INDEX_OFFSET, (byte) gidIndex);
  }

  private static int mask(int prefixLength) {
    return prefixLength == 0 ? 0 : ALL_ONES << Integer.SIZE - prefixLength;
  }

  /** Reads the entry at an offset of a little-endian buffer. */
  static LegacyAddress readFrom(ByteBuffer bytes, int offset) throws HandleFormatException {
    Inet4Address address = address(bytes, offset + IP_OFFSET);
    if (!isUsable(address)) {
      throw new HandleFormatException(
          offset + IP_OFFSET, address.getHostAddress() + " is no address of a NIC");
    }
    int mask = Integer.reverseBytes(bytes.getInt(offset + MASK_OFFSET));
    int prefixLength = Integer.bitCount(mask);
    if (mask != mask(prefixLength)) {
      throw new HandleFormatException(
          offset + MASK_OFFSET, String.format("mask 0x%08x has holes", mask));
    }
    return new LegacyAddress(
        new LinkAddress(address, prefixLength),
        Byte.toUnsignedInt(bytes.get(offset + NIC_INDEX_OFFSET)),
        Byte.toUnsignedInt(bytes.get(offset + GID_INDEX_OFFSET)));
  }

  /** Reads four bytes in network order, whatever the buffer's. */
  static Inet4Address address(ByteBuffer bytes, int offset) {
    byte[] raw = new byte[Integer.BYTES];
    bytes.get(offset, raw);
    try {
      return (Inet4Address) InetAddress.getByAddress(raw);
    } catch (UnknownHostException e) {
      throw new AssertionError("four bytes are always an address", e);
    }
  }

  /** Whether a single host can have it. */
  static boolean isUsable(Inet4Address address) {
    return !address.isAnyLocalAddress()
        && !address.isMulticastAddress()
        && !address.getHostAddress().equals("255.255.255.255");
  }

  @Override
  public String toString() {
    return link + " on NIC " + nicIndex;
  }
}
