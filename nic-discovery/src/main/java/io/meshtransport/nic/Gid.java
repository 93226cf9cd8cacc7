// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.nic;

import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.HexFormat;

/**
 * A global identifier: the 128-bit address of an RDMA port (InfiniBand Architecture Specification
 * 1.4, section 4.1.1). On RoCE v2 it is the port's IPv6 address, or its IPv4 address in the mapped
 * form {@code ::ffff:a.b.c.d} (Annex A17).
 *
 * @param high the first eight bytes, big-endian
 * @param low the last eight bytes, big-endian
 */
public record Gid(long high, long low) {
  /** Length of a GID on the wire and in every verbs structure, in bytes. */
  public static final int LENGTH_BYTES = 16;

  /** The content of an empty row of a GID table. */
  public static final Gid ZERO = new Gid(0, 0);

  private static final long IPV4_MAPPED = 0xFFFFL;

  /** The GID of a RoCE v2 port or a soft NIC for this address. */
  public static Gid of(InetAddress address) {
    byte[] raw = address.getAddress();
    if (address instanceof Inet4Address) {
      return new Gid(0, IPV4_MAPPED << 32 | ByteBuffer.wrap(raw).getInt() & 0xFFFFFFFFL);
    }
    return ofBytes(raw);
  }

  /**
   * @param raw exactly 16 bytes, network order
   */
  public static Gid ofBytes(byte[] raw) {
    if (raw.length != LENGTH_BYTES) {
      throw new IllegalArgumentException("a GID has 16 bytes, not " + raw.length);
    }
    ByteBuffer bytes = ByteBuffer.wrap(raw);
    return new Gid(bytes.getLong(), bytes.getLong());
  }

  /**
   * Reads the kernel's text form: eight groups of four hexadecimal digits, as in {@code
   * /sys/class/infiniband/DEV/ports/1/gids/0}.
   *
   * @throws IllegalArgumentException if the text is anything else
   */
  public static Gid parse(String text) {
    String[] groups = text.strip().split(":", -1);
    if (groups.length != 8) {
      throw new IllegalArgumentException("not a GID of eight groups: '" + text + "'");
    }
    ByteBuffer bytes = ByteBuffer.allocate(LENGTH_BYTES);
    for (String group : groups) {
      if (!group.matches("[0-9a-fA-F]{4}")) {
        throw new IllegalArgumentException(
            "not a GID of eight groups of four digits: '" + text + "'");
      }
      bytes.putShort((short) Integer.parseInt(group, 16));
    }
    return ofBytes(bytes.array());
  }

  /** The 16 bytes in network order. */
  public byte[] toBytes() {
    return ByteBuffer.allocate(LENGTH_BYTES).putLong(high).putLong(low).array();
  }

  /** The IP address of this GID: an IPv4 address if it is mapped, else an IPv6 address. */
  public InetAddress toAddress() {
    try {
      // Turns the mapped form into an Inet4Address by itself.
      return InetAddress.getByAddress(toBytes());
    } catch (UnknownHostException e) {
      throw new AssertionError("16 bytes are always an address", e);
    }
  }

  /**
   * The address to bind to or to connect to on one interface: a link-local one with the interface
   * as its scope, since it names nothing without; any other as {@link #toAddress()}.
   *
   * @param ifindex the kernel's index of this host's interface; 0 if unknown: no scope then
   */
  public InetAddress toAddress(int ifindex) {
    if (ifindex == 0 || !isLinkLocal()) {
      return toAddress();
    }
    try {
      return Inet6Address.getByAddress(null, toBytes(), ifindex);
    } catch (UnknownHostException e) {
      throw new AssertionError("16 bytes are always an address", e);
    }
  }

  /** Whether this is {@code ::ffff:a.b.c.d}. */
  public boolean isIpv4Mapped() {
    return high == 0 && low >>> 32 == IPV4_MAPPED;
  }

  /** Whether this lies in fe80::/10: valid on one cable only, and the same on every cable. */
  public boolean isLinkLocal() {
    return high >>> 54 == 0xFE80 >>> 6;
  }

  /** Whether this is the content of an empty row. */
  public boolean isZero() {
    return high == 0 && low == 0;
  }

  /** The kernel's text form, which {@link #parse} reads back. */
  @Override
  public String toString() {
    HexFormat hex = HexFormat.of();
    StringBuilder text = new StringBuilder(39);
    for (int group = 0; group < 8; group++) {
      long half = group < 4 ? high : low;
      text.append(group == 0 ? "" : ":")
          .append(hex.toHexDigits((short) (half >>> 48 - 16 * (group % 4))));
    }
    return text.toString();
  }

  // Written out: those that a record is given are linked at their first use, for milliseconds.
  @Override
  public boolean equals(Object other) {
    return other instanceof Gid that && high == that.high && low == that.low;
  }

  @Override
  public int hashCode() {
    return Long.hashCode(31 * high + low);
  }
}
