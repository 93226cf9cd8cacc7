// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import io.meshtransport.nic.LinkAddress;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * One address of a node, an entry of {@link PeerHandle}.
 *
 * <pre>
 *   0        1        2        3
 *  +--------+--------+--------+--------+
 *  | family | prefix |    NIC index    |   family 4 or 6; prefix length in bits
 *  +--------+--------+--------+--------+
 *  |        link speed (u32)           |   megabits per second, 0 unknown
 *  +--------+--------+--------+--------+
 *  |   address: 4 bytes (family 4)     |   network order
 *  |         or 16 bytes (family 6)    |
 *  +--------+--------+--------+--------+
 * </pre>
 *
 * @param link address and prefix length; an IPv6 link-local address has no scope, because the
 *     reader's own scope counts
 * @param nicIndex which NIC of that node, 0 to 65535, in the node's own order
 * @param speedMbps link speed in megabits per second, 0 to 2^31-1; 0 is unknown
 */
public record HandleAddress(LinkAddress link, int nicIndex, int speedMbps) {
  static final int FAMILY_OFFSET = 0;
  static final int PREFIX_OFFSET = FAMILY_OFFSET + Byte.BYTES;
  static final int NIC_INDEX_OFFSET = PREFIX_OFFSET + Byte.BYTES;
  static final int SPEED_OFFSET = NIC_INDEX_OFFSET + Short.BYTES;
  static final int ADDRESS_OFFSET = SPEED_OFFSET + Integer.BYTES;

  private static final byte FAMILY_IPV4 = 4;
  private static final byte FAMILY_IPV6 = 6;
  private static final int IPV4_BYTES = 4;
  private static final int IPV6_BYTES = 16;

  /** Length of the longest entry, an IPv6 one, in bytes. */
  static final int MAX_LENGTH_BYTES = ADDRESS_OFFSET + IPV6_BYTES;

  public HandleAddress {
    Objects.requireNonNull(link, "link");
    if (nicIndex < 0 || nicIndex > 0xFFFF) {
      throw new IllegalArgumentException("NIC index " + nicIndex + " is outside 0..65535");
    }
    if (speedMbps < 0) {
      throw new IllegalArgumentException("speed " + speedMbps + " Mb/s is negative");
    }
  }

  int lengthBytes() {
    return ADDRESS_OFFSET + (link.isIpv4() ? IPV4_BYTES : IPV6_BYTES);
  }

  void writeTo(ByteBuffer bytes) {
    bytes
        .put(link.isIpv4() ? FAMILY_IPV4 : FAMILY_IPV6)
        .put((byte) link.prefixLength())
        .putShort((short) nicIndex)
        .putInt(speedMbps)
        .put(link.address().getAddress());
  }

  /** Reads the entry at the buffer's position and moves past it. */
  static HandleAddress readFrom(ByteBuffer bytes) throws HandleFormatException {
    int start = bytes.position();
    requireRemaining(bytes, ADDRESS_OFFSET);
    byte family = bytes.get(start + FAMILY_OFFSET);
    if (family != FAMILY_IPV4 && family != FAMILY_IPV6) {
      throw new HandleFormatException(
          start + FAMILY_OFFSET, "address family " + family + " is neither 4 nor 6");
    }
    byte[] raw = new byte[family == FAMILY_IPV4 ? IPV4_BYTES : IPV6_BYTES];
    requireRemaining(bytes, ADDRESS_OFFSET + raw.length);
    bytes.position(start + ADDRESS_OFFSET).get(raw);
    int speedMbps = bytes.getInt(start + SPEED_OFFSET);
    if (speedMbps < 0) {
      throw new HandleFormatException(start + SPEED_OFFSET, "link speed of 2^31 Mb/s or more");
    }
    int nicIndex = Short.toUnsignedInt(bytes.getShort(start + NIC_INDEX_OFFSET));
    return new HandleAddress(readLink(bytes, start, raw), nicIndex, speedMbps);
  }

  private static LinkAddress readLink(ByteBuffer bytes, int start, byte[] raw)
      throws HandleFormatException {
    InetAddress address;
    try {
      address = InetAddress.getByAddress(raw);
    } catch (UnknownHostException e) {
      throw new AssertionError("4 or 16 bytes are always an address", e);
    }
    if (address.getAddress().length != raw.length) {
      throw new HandleFormatException(
          start + ADDRESS_OFFSET, "an IPv4-mapped IPv6 address; it must be of family 4");
    }
    try {
      return new LinkAddress(address, bytes.get(start + PREFIX_OFFSET) & 0xFF);
    } catch (IllegalArgumentException e) {
      throw new HandleFormatException(start + PREFIX_OFFSET, e.getMessage());
    }
  }

  private static void requireRemaining(ByteBuffer bytes, int lengthBytes)
      throws HandleFormatException {
    if (bytes.remaining() < lengthBytes) {
      throw new HandleFormatException(
          bytes.limit(), "cut within the address that begins at byte " + bytes.position());
    }
  }

  @Override
  public String toString() {
    return link + " on NIC " + nicIndex + (speedMbps == 0 ? "" : " at " + speedMbps + " Mb/s");
  }
}
