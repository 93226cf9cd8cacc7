// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import io.meshtransport.nic.Gid;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * The handle of the C plugin nccl-mesh: a C struct as its compiler lays it out, {@value
 * #LENGTH_BYTES} bytes. An immutable value; any thread. It contains no secret, no listener id, no
 * version and no checksum.
 *
 * <p>Numbers are in the order of the host that wrote them. The C plugin runs on x86_64 and aarch64,
 * both little-endian, so this class reads and writes little-endian on every host; addresses and
 * masks are in network order.
 *
 * <pre>
 *   0        1        2        3
 *  +--------+--------+--------+--------+
 *  |  'H'   |  'S'   |  'E'   |  'M'   |   0x4D455348, little-endian
 *  +--------+--------+--------+--------+
 *  | count  | chosen |    LID (u16)    |   1 to 6 addresses; 0; 0
 *  +--------+--------+--------+--------+
 *  | queue pair (u16)| handshake port  |   0; TCP port, not 0
 *  +--------+--------+--------+--------+
 *  |IB port | MTU    |    padding      |   1; 1 to 5: 256 to 4096 bytes. 0 and 0: a plugin in TCP mode
 *  +--------+--------+--------+--------+
 *  |             PSN (u32)             |   0
 *  +--------+--------+--------+--------+
 *  |     IPv4 address of first NIC     |   network order; never read
 *  +--------+--------+--------+--------+
 *  |              GID                  |   16 bytes, of the first NIC; never read
 *  +--------+--------+--------+--------+
 *  |       6 x {@link LegacyAddress}          |   12 bytes each; those beyond count are 0
 *  +--------+--------+--------+--------+
 * </pre>
 *
 * @param handshakePort TCP port the listener reads {@link LegacyEndpoint} messages at, 1 to 65535
 * @param mtuBytes path MTU the listener offers: 256, 512, 1024, 2048 or 4096. Early plugins write
 *     4096 whatever the port can do
 * @param gid of the first NIC
 * @param addresses 1 to {@value #MAX_ADDRESSES}, in the listener's order
 */
public record LegacyHandle(
    int handshakePort, int mtuBytes, Gid gid, List<LegacyAddress> addresses) {
  /** Most addresses of one handle. */
  public static final int MAX_ADDRESSES = 6;

  static final int MAGIC = 0x4D455348;

  private static final int MAGIC_OFFSET = 0;
  private static final int COUNT_OFFSET = MAGIC_OFFSET + Integer.BYTES;
  private static final int CHOSEN_OFFSET = COUNT_OFFSET + Byte.BYTES;
  private static final int LID_OFFSET = CHOSEN_OFFSET + Byte.BYTES;
  private static final int QP_NUMBER_OFFSET = LID_OFFSET + Short.BYTES;
  private static final int PORT_OFFSET = QP_NUMBER_OFFSET + Short.BYTES;
  private static final int IB_PORT_OFFSET = PORT_OFFSET + Short.BYTES;
  private static final int MTU_OFFSET = IB_PORT_OFFSET + Byte.BYTES;
  private static final int PADDING_OFFSET = MTU_OFFSET + Byte.BYTES;
  private static final int PSN_OFFSET = PADDING_OFFSET + Short.BYTES;
  private static final int IP_OFFSET = PSN_OFFSET + Integer.BYTES;
  private static final int GID_OFFSET = IP_OFFSET + Integer.BYTES;
  private static final int ADDRESSES_OFFSET = GID_OFFSET + Gid.LENGTH_BYTES;

  /** Length in bytes. A framework's slot of 128 holds it; what follows in there is not written. */
  public static final int LENGTH_BYTES =
      ADDRESSES_OFFSET + MAX_ADDRESSES * LegacyAddress.LENGTH_BYTES;

  private static final byte IB_PORT = 1;

  /** Of enum ibv_mtu (man ibv_query_port): code n is 2^(n+7) bytes, 1 to 5. */
  private static final int MTU_CODE_SHIFT = 7;

  private static final int MAX_MTU_CODE = 5;

  public LegacyHandle {
    Objects.requireNonNull(gid, "gid");
    addresses = List.copyOf(addresses);
    if (handshakePort < 1 || handshakePort > 0xFFFF) {
      throw new IllegalArgumentException(
          "handshake port " + handshakePort + " is outside 1..65535");
    }
    if (addresses.isEmpty() || addresses.size() > MAX_ADDRESSES) {
      throw new IllegalArgumentException(
          addresses.size() + " addresses; the C plugin's handle carries 1 to " + MAX_ADDRESSES);
    }
    if (Integer.bitCount(mtuBytes) != 1 || mtuCode(mtuBytes) < 1 || mtuCode(mtuBytes) > 5) {
      throw new IllegalArgumentException(
          "path MTU " + mtuBytes + " is not 256, 512, 1024, 2048 or 4096");
    }
  }

  private static int mtuCode(int mtuBytes) {
    return Integer.numberOfTrailingZeros(mtuBytes) - MTU_CODE_SHIFT;
  }

  /** The bytes drawn above, a fresh array. */
  public byte[] encode() {
    ByteBuffer bytes =
        ByteBuffer.allocate(LENGTH_BYTES)
            .order(ByteOrder.LITTLE_ENDIAN)
            .putInt(MAGIC_OFFSET, MAGIC)
            .put(COUNT_OFFSET, (byte) addresses.size())
            .putShort(PORT_OFFSET, (short) handshakePort)
            .put(IB_PORT_OFFSET, IB_PORT)
            .put(MTU_OFFSET, (byte) mtuCode(mtuBytes))
            .put(IP_OFFSET, addresses.get(0).link().address().getAddress())
            .put(GID_OFFSET, gid.toBytes());
    for (int i = 0; i < addresses.size(); i++) {
      addresses.get(i).writeTo(bytes, ADDRESSES_OFFSET + i * LegacyAddress.LENGTH_BYTES);
    }
    return bytes.array();
  }

  /** Whether bytes begin as a handle of the C plugin does; one of ours begins otherwise. */
  public static boolean isMeant(byte[] handle) {
    return handle.length >= Integer.BYTES
        && ByteBuffer.wrap(handle).order(ByteOrder.LITTLE_ENDIAN).getInt(MAGIC_OFFSET) == MAGIC;
  }

  /**
   * Reads what a C plugin or {@link #encode} wrote; whatever follows is ignored.
   *
   * @throws HandleFormatException if the bytes are cut, foreign, of a plugin in TCP mode, or not
   *     what a plugin writes; a retry with the same bytes cannot help
   */
  public static LegacyHandle decode(byte[] handle) throws HandleFormatException {
    ByteBuffer bytes = ByteBuffer.wrap(handle).order(ByteOrder.LITTLE_ENDIAN);
    if (!isMeant(handle)) {
      throw new HandleFormatException(
          MAGIC_OFFSET, "a handle of the C plugin begins with the bytes 48 53 45 4d");
    }
    if (handle.length < LENGTH_BYTES) {
      throw new HandleFormatException(
          handle.length, "cut: a handle of the C plugin has " + LENGTH_BYTES + " bytes");
    }
    int mtuBytes = mtuBytes(bytes);
    int port = Short.toUnsignedInt(bytes.getShort(PORT_OFFSET));
    if (port == 0) {
      throw new HandleFormatException(
          PORT_OFFSET, "handshake port 0: its plugin could not listen; read its log");
    }
    Gid gid = Gid.ofBytes(Arrays.copyOfRange(handle, GID_OFFSET, GID_OFFSET + Gid.LENGTH_BYTES));
    return new LegacyHandle(port, mtuBytes, gid, addresses(bytes));
  }

  private static int mtuBytes(ByteBuffer bytes) throws HandleFormatException {
    int ibPort = Byte.toUnsignedInt(bytes.get(IB_PORT_OFFSET));
    int code = Byte.toUnsignedInt(bytes.get(MTU_OFFSET));
    if (ibPort == 0 && code == 0) {
      throw new HandleFormatException(
          IB_PORT_OFFSET,
          "the C plugin that made it runs in TCP mode, without RDMA, which only its own kind"
              + " speaks. Give it RDMA NICs, and a build that is linked with libibverbs");
    }
    if (code < 1 || code > MAX_MTU_CODE) {
      throw new HandleFormatException(MTU_OFFSET, "MTU code " + code + " is outside 1..5");
    }
    return 1 << code + MTU_CODE_SHIFT;
  }

  private static List<LegacyAddress> addresses(ByteBuffer bytes) throws HandleFormatException {
    int count = Byte.toUnsignedInt(bytes.get(COUNT_OFFSET));
    if (count == 0 || count > MAX_ADDRESSES) {
      throw new HandleFormatException(
          COUNT_OFFSET, count + " addresses; 1 to " + MAX_ADDRESSES + " are possible");
    }
    List<LegacyAddress> addresses = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      addresses.add(
          LegacyAddress.readFrom(bytes, ADDRESSES_OFFSET + i * LegacyAddress.LENGTH_BYTES));
    }
    return addresses;
  }
}
