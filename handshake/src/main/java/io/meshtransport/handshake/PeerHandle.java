// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.zip.CRC32C;

/**
 * What a framework carries from one node to its peers so that they can connect: the node's id and
 * addresses. An immutable value; any thread. It contains no secret.
 *
 * <pre>
 *   0        1        2        3
 *  +--------+--------+--------+--------+
 *  |  'M'   |  'E'   |  'S'   |  'H'   |   all numbers big-endian
 *  +--------+--------+--------+--------+
 *  | version| count  | handshake port  |   version 1; 0 to 16 addresses; TCP port
 *  +--------+--------+--------+--------+
 *  |           node id                 |   16 bytes
 *  +--------+--------+--------+--------+
 *  |        reserved (8 bytes)         |   0, ignored
 *  +--------+--------+--------+--------+
 *  |         listener id (u32)         |   which of the node's listeners
 *  +--------+--------+--------+--------+
 *  |  count x {@link HandleAddress}            |   12 bytes each (IPv4) or 24 (IPv6)
 *  +--------+--------+--------+--------+
 *  |           CRC-32C                 |   of every byte before it (RFC 3720, B.4)
 *  +--------+--------+--------+--------+
 * </pre>
 *
 * 88 bytes with four IPv4 addresses, 424 with sixteen IPv6 addresses: within the 128 bytes of a
 * framework like NCCL and our promised limit of 512 bytes.
 *
 * @param node the id of the node
 * @param listenerId which of the node's listeners is meant; a number of the layer above
 * @param handshakePort TCP port the node listens on, 1 to 65535
 * @param addresses at most {@value #MAX_ADDRESSES}, in the node's order of preference
 */
public record PeerHandle(
    NodeId node, int listenerId, int handshakePort, List<HandleAddress> addresses) {
  /** Max addresses of one handle. */
  public static final int MAX_ADDRESSES = 16;

  /** Max length of a handle in bytes. */
  public static final int MAX_LENGTH_BYTES = 512;

  /** Prefix of the text form. */
  public static final String TEXT_PREFIX = "mesh:";

  static final int MAGIC = 0x4D455348;
  static final byte VERSION = 1;

  private static final int MAGIC_OFFSET = 0;
  private static final int VERSION_OFFSET = MAGIC_OFFSET + Integer.BYTES;
  private static final int COUNT_OFFSET = VERSION_OFFSET + Byte.BYTES;
  private static final int PORT_OFFSET = COUNT_OFFSET + Byte.BYTES;
  private static final int NODE_OFFSET = PORT_OFFSET + Short.BYTES;
  private static final int RESERVED_OFFSET = NODE_OFFSET + NodeId.LENGTH_BYTES;
  private static final int LISTENER_OFFSET = RESERVED_OFFSET + Long.BYTES;
  private static final int ADDRESSES_OFFSET = LISTENER_OFFSET + Integer.BYTES;
  private static final int CRC_LENGTH_BYTES = Integer.BYTES;

  /** Min length of a handle in bytes: one without addresses. */
  static final int MIN_LENGTH_BYTES = ADDRESSES_OFFSET + CRC_LENGTH_BYTES;

  public PeerHandle {
    Objects.requireNonNull(node, "node");
    addresses = List.copyOf(addresses);
    if (handshakePort < 1 || handshakePort > 0xFFFF) {
      throw new IllegalArgumentException(
          "handshake port " + handshakePort + " is outside 1..65535");
    }
    if (addresses.size() > MAX_ADDRESSES) {
      throw new IllegalArgumentException(
          addresses.size() + " addresses; a handle carries at most " + MAX_ADDRESSES);
    }
  }

  /** The bytes drawn above, a fresh array. */
  public byte[] encode() {
    int crcOffset =
        ADDRESSES_OFFSET + addresses.stream().mapToInt(HandleAddress::lengthBytes).sum();
    ByteBuffer bytes = ByteBuffer.allocate(crcOffset + CRC_LENGTH_BYTES);
    bytes.putInt(MAGIC).put(VERSION).put((byte) addresses.size()).putShort((short) handshakePort);
    node.writeTo(bytes, NODE_OFFSET);
    bytes.putInt(LISTENER_OFFSET, listenerId).position(ADDRESSES_OFFSET);
    addresses.forEach(address -> address.writeTo(bytes));
    return bytes.putInt(crc(bytes.array(), crcOffset)).array();
  }

  /**
   * Decodes the bytes of {@link #encode}. Trailing bytes are refused; for a framework that pads
   * handles to a fixed size there is {@link #decodePadded}.
   *
   * @throws HandleFormatException if the bytes are cut, too long, foreign, of another version or
   *     damaged; a retry with the same bytes cannot help
   */
  public static PeerHandle decode(byte[] handle) throws HandleFormatException {
    ByteBuffer bytes = ByteBuffer.wrap(handle);
    PeerHandle decoded = decode(bytes);
    if (bytes.hasRemaining()) {
      throw new HandleFormatException(
          bytes.position(),
          "%d %s too many follow where the handle ends"
              .formatted(bytes.remaining(), bytes.remaining() == 1 ? "byte" : "bytes"),
          HandleFormatException.Fault.TOO_LONG);
    }
    return decoded;
  }

  /**
   * As {@link #decode(byte[])}, but ignores whatever follows the handle.
   *
   * @throws HandleFormatException as there
   */
  public static PeerHandle decodePadded(byte[] handle) throws HandleFormatException {
    return decode(ByteBuffer.wrap(handle));
  }

  private static PeerHandle decode(ByteBuffer bytes) throws HandleFormatException {
    try {
      requireOurs(bytes);
      int count = bytes.get(COUNT_OFFSET);
      if (count < 0 || count > MAX_ADDRESSES) {
        throw new HandleFormatException(
            COUNT_OFFSET,
            (count & 0xFF) + " addresses; at most " + MAX_ADDRESSES + " are possible");
      }
      NodeId node = readNode(bytes);
      int listenerId = bytes.getInt(LISTENER_OFFSET);
      int port = Short.toUnsignedInt(bytes.getShort(PORT_OFFSET));
      bytes.position(ADDRESSES_OFFSET);
      List<HandleAddress> addresses = new ArrayList<>(count);
      for (int i = 0; i < count; i++) {
        addresses.add(HandleAddress.readFrom(bytes));
      }
      requireCrc(bytes);
      return new PeerHandle(node, listenerId, port, addresses);
    } catch (BufferUnderflowException | IndexOutOfBoundsException e) {
      throw new HandleFormatException(
          bytes.limit(), "cut: it is " + bytes.limit() + " bytes long and more must follow");
    } catch (IllegalArgumentException e) {
      throw new HandleFormatException(PORT_OFFSET, e.getMessage());
    }
  }

  private static NodeId readNode(ByteBuffer bytes) {
    return NodeId.readFrom(bytes, NODE_OFFSET);
  }

  /** Whether bytes begin as a handle of ours does; a C plugin's begins otherwise. */
  static boolean isMeant(byte[] handle) {
    return handle.length >= Integer.BYTES && ByteBuffer.wrap(handle).getInt(MAGIC_OFFSET) == MAGIC;
  }

  private static void requireOurs(ByteBuffer bytes) throws HandleFormatException {
    for (int i = MAGIC_OFFSET; i < VERSION_OFFSET; i++) {
      byte expected = (byte) (MAGIC >>> Byte.SIZE * (VERSION_OFFSET - 1 - i));
      if (bytes.get(i) != expected) {
        throw new HandleFormatException(
            i, String.format("0x%02x is foreign; a handle begins with MESH", bytes.get(i)));
      }
    }
    if (bytes.get(VERSION_OFFSET) != VERSION) {
      throw new HandleFormatException(
          VERSION_OFFSET,
          "version "
              + (bytes.get(VERSION_OFFSET) & 0xFF)
              + ", but this node reads version "
              + VERSION
              + ". Run the same release on all nodes",
          HandleFormatException.Fault.OTHER_VERSION);
    }
  }

  private static void requireCrc(ByteBuffer bytes) throws HandleFormatException {
    int crcOffset = bytes.position();
    int computed = crc(bytes.array(), crcOffset);
    int carried = bytes.getInt();
    if (carried != computed) {
      throw new HandleFormatException(
          crcOffset,
          String.format(
              "CRC-32C is 0x%08x, but bytes 0..%d give 0x%08x: damaged on the way",
              carried, crcOffset - 1, computed));
    }
  }

  private static int crc(byte[] bytes, int lengthBytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, lengthBytes);
    return (int) crc.getValue();
  }

  /**
   * Reads the text form.
   *
   * @throws HandleFormatException if the text is not {@code mesh:} and base64url (RFC 4648, section
   *     5) of a handle
   */
  public static PeerHandle parse(String text) throws HandleFormatException {
    String line = text.strip();
    if (!line.startsWith(TEXT_PREFIX)) {
      throw new HandleFormatException(0, "the text does not begin with '" + TEXT_PREFIX + "'");
    }
    try {
      return decode(Base64.getUrlDecoder().decode(line.substring(TEXT_PREFIX.length())));
    } catch (IllegalArgumentException e) {
      throw new HandleFormatException(
          TEXT_PREFIX.length(), "not base64url: " + e.getMessage() + ". Was the line cut?");
    }
  }

  /** The text form, one line without spaces, for {@link #parse}. */
  public String toText() {
    return TEXT_PREFIX + Base64.getUrlEncoder().withoutPadding().encodeToString(encode());
  }
}
