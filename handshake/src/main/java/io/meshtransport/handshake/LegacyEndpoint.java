// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import io.meshtransport.handshake.HandshakeException.Reason;
import io.meshtransport.nic.Gid;
import java.net.Inet4Address;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Objects;

/**
 * One end of a connection of the C plugin, which is also its whole handshake: the connector sends
 * one, the listener answers with one. {@value #LENGTH_BYTES} bytes, network order. An immutable
 * value; any thread.
 *
 * <pre>
 *   0        1        2        3
 *  +--------+--------+--------+--------+
 *  |  queue pair number (u32)          |   at most 0xFFFFFF, so the first byte is 0x00; never 0
 *  +--------+--------+--------+--------+
 *  |  packet sequence number (u32)     |   0: the C plugin starts with 0 whatever it reads here
 *  +--------+--------+--------+--------+
 *  |  GID                              |   16 bytes; the connector's own, zero in the answer. Not
 *  +--------+--------+--------+--------+   read
 *  |  IPv4 address                     |   of the NIC; its GID is taken to be ::ffff:a.b.c.d. In the
 *  +--------+--------+--------+--------+   answer 0 means the address that was dialled
 *  |GID row |  NIC   |    reserved     |   row: for people only. NIC: which of the listener's, as its
 *  +--------+--------+--------+--------+   handle counts them; repeated in the answer
 * </pre>
 *
 * @param qpNumber 1 to 0xFFFFFF
 * @param psn first packet sequence number this end will send, 0 to 0xFFFFFF
 * @param gid as above; may be zero
 * @param ip as above; may be 0.0.0.0
 * @param gidIndex row of its GID table, 0 to 255
 * @param nicIndex which of the listener's NICs, 0 to 255
 */
public record LegacyEndpoint(
    int qpNumber, int psn, Gid gid, Inet4Address ip, int gidIndex, int nicIndex) {
  static final int QP_NUMBER_OFFSET = 0;
  static final int PSN_OFFSET = QP_NUMBER_OFFSET + Integer.BYTES;
  static final int GID_OFFSET = PSN_OFFSET + Integer.BYTES;
  static final int IP_OFFSET = GID_OFFSET + Gid.LENGTH_BYTES;
  static final int GID_INDEX_OFFSET = IP_OFFSET + Integer.BYTES;
  static final int NIC_INDEX_OFFSET = GID_INDEX_OFFSET + Byte.BYTES;
  static final int RESERVED_OFFSET = NIC_INDEX_OFFSET + Byte.BYTES;

  /** Length in bytes. */
  public static final int LENGTH_BYTES = RESERVED_OFFSET + Short.BYTES;

  public LegacyEndpoint {
    Objects.requireNonNull(gid, "gid");
    Objects.requireNonNull(ip, "ip");
    requireRange("queue pair number", qpNumber, 1, QueuePairAddress.MAX_24_BIT);
    requireRange("packet sequence number", psn, 0, QueuePairAddress.MAX_24_BIT);
    requireRange("GID index", gidIndex, 0, 0xFF);
    requireRange("NIC index", nicIndex, 0, 0xFF);
  }

  private static void requireRange(String name, int value, int lowest, int highest) {
    if (value < lowest || value > highest) {
      throw new IllegalArgumentException(
          String.format("%s 0x%x is outside %d..%d", name, value, lowest, highest));
    }
  }

  /** The bytes drawn above, a fresh array. */
  public byte[] encode() {
    return ByteBuffer.allocate(LENGTH_BYTES)
        .putInt(QP_NUMBER_OFFSET, qpNumber)
        .putInt(PSN_OFFSET, psn)
        .put(GID_OFFSET, gid.toBytes())
        .put(IP_OFFSET, ip.getAddress())
        .put(GID_INDEX_OFFSET, (byte) gidIndex)
        .put(NIC_INDEX_OFFSET, (byte) nicIndex)
        .array();
  }

  /**
   * Reads exactly {@value #LENGTH_BYTES} bytes.
   *
   * @throws WireException GARBAGE for numbers above 24 bits and for queue pair 0
   */
  static LegacyEndpoint decode(byte[] raw) throws WireException {
    ByteBuffer bytes = ByteBuffer.wrap(raw);
    try {
      return new LegacyEndpoint(
          bytes.getInt(QP_NUMBER_OFFSET),
          bytes.getInt(PSN_OFFSET),
          Gid.ofBytes(Arrays.copyOfRange(raw, GID_OFFSET, IP_OFFSET)),
          LegacyAddress.address(bytes, IP_OFFSET),
          Byte.toUnsignedInt(bytes.get(GID_INDEX_OFFSET)),
          Byte.toUnsignedInt(bytes.get(NIC_INDEX_OFFSET)));
    } catch (IllegalArgumentException e) {
      throw new WireException(Reason.GARBAGE, "C plugin's message: " + e.getMessage());
    }
  }

  @Override
  public String toString() {
    return String.format(
        "qp 0x%06x psn 0x%06x at %s, NIC %d", qpNumber, psn, ip.getHostAddress(), nicIndex);
  }
}
