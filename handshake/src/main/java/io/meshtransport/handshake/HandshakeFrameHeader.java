// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import io.meshtransport.handshake.HandshakeException.Reason;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * Beginning and end of every frame. Big-endian. The header and {@link Refuse} have the same layout
 * in all versions, so that every version can read a refusal.
 *
 * <pre>
 *   0        1        2        3
 *  +--------+--------+--------+--------+
 *  |  'M'   |  'E'   |  'S'   |  'H'   |   first byte 0x00: reserved for the C plugin's wire
 *  +--------+--------+--------+--------+
 *  | version|  type  |  frame length   |   u16, bytes, this header and the CRC included
 *  +--------+--------+--------+--------+
 *  |  body of the type                 |
 *  +--------+--------+--------+--------+
 *  |           CRC-32C                 |   of every byte before it (RFC 3720, B.4)
 *  +--------+--------+--------+--------+
 * </pre>
 *
 * The CRC detects damage and foreign programs; it is MESH_SECRET that detects attackers.
 */
final class HandshakeFrameHeader {
  static final int MAGIC = 0x4D455348;
  static final byte VERSION = 1;

  static final int MAGIC_OFFSET = 0;
  static final int VERSION_OFFSET = MAGIC_OFFSET + Integer.BYTES;
  static final int TYPE_OFFSET = VERSION_OFFSET + Byte.BYTES;
  static final int LENGTH_OFFSET = TYPE_OFFSET + Byte.BYTES;
  static final int LENGTH_BYTES = LENGTH_OFFSET + Short.BYTES;
  static final int CRC_LENGTH_BYTES = Integer.BYTES;

  /** First byte of the C plugin's 32-byte message: the top of a 24-bit number in 32 bits. */
  static final byte LEGACY_FIRST_BYTE = 0x00;

  private HandshakeFrameHeader() {}

  /** Whether bytes begin as every frame does. */
  static boolean beginsAt(ByteBuffer bytes) {
    int at = bytes.position();
    return bytes.remaining() >= VERSION_OFFSET && bytes.getInt(at) == MAGIC;
  }

  /** A buffer of the whole frame with its header written. */
  static ByteBuffer begin(HandshakeFrameType type, int lengthBytes) {
    return ByteBuffer.allocate(lengthBytes)
        .putInt(MAGIC_OFFSET, MAGIC)
        .put(VERSION_OFFSET, VERSION)
        .put(TYPE_OFFSET, type.code())
        .putShort(LENGTH_OFFSET, (short) lengthBytes);
  }

  /** Writes the CRC of a frame that is otherwise complete. */
  static byte[] seal(ByteBuffer frame) {
    int crcOffset = frame.capacity() - CRC_LENGTH_BYTES;
    return frame.putInt(crcOffset, crc(frame.array(), crcOffset)).array();
  }

  static HandshakeFrameType type(byte[] frame) throws WireException {
    return HandshakeFrameType.ofCode(frame[TYPE_OFFSET]);
  }

  /** Frame length from the header. */
  static int frameLengthBytes(byte[] header) {
    return Short.toUnsignedInt(ByteBuffer.wrap(header).getShort(LENGTH_OFFSET));
  }

  /**
   * Checks one byte of a header, after all bytes before it, so that a foreign program is refused at
   * its first wrong byte.
   */
  static void requireByte(byte[] header, int offset) throws WireException {
    if (offset < VERSION_OFFSET) {
      requireMagic(header[offset], offset);
    } else if (offset == VERSION_OFFSET) {
      requireVersion(header[offset]);
    } else if (offset == TYPE_OFFSET) {
      HandshakeFrameType.ofCode(header[offset]);
    } else if (offset == LENGTH_BYTES - 1) {
      HandshakeFrameType.ofCode(header[TYPE_OFFSET]).requireLength(frameLengthBytes(header));
    }
  }

  private static void requireMagic(byte value, int offset) throws WireException {
    if (offset == MAGIC_OFFSET && value == LEGACY_FIRST_BYTE) {
      throw new WireException(Reason.LEGACY, "the first byte is 0x00");
    }
    if (value != (byte) (MAGIC >>> Byte.SIZE * (VERSION_OFFSET - 1 - offset))) {
      throw new WireException(
          Reason.GARBAGE, String.format("byte %d is 0x%02x, not of \"MESH\"", offset, value));
    }
  }

  private static void requireVersion(byte version) throws WireException {
    if (version != VERSION) {
      throw new WireException(
          Reason.VERSION, "version " + (version & 0xFF) + " met version " + VERSION);
    }
  }

  static void requireCrc(byte[] frame) throws WireException {
    int crcOffset = frame.length - CRC_LENGTH_BYTES;
    int carried = ByteBuffer.wrap(frame).getInt(crcOffset);
    int computed = crc(frame, crcOffset);
    if (carried != computed) {
      throw new WireException(
          Reason.GARBAGE,
          String.format("CRC-32C is 0x%08x where 0x%08x is due", carried, computed));
    }
  }

  private static int crc(byte[] bytes, int lengthBytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, lengthBytes);
    return (int) crc.getValue();
  }
}
