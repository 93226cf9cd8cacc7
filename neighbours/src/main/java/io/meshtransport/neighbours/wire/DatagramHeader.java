// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.wire;

import io.meshtransport.handshake.NodeId;
import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * Beginning of every datagram. Big-endian.
 *
 * <pre>
 *        0        1        2        3
 *    0  +--------+--------+--------+--------+
 *       |  'M'   |  'S'   |  'N'   |  'B'   |
 *    4  +--------+--------+--------+--------+
 *       | version|  type  | datagram length |   u16, bytes, header and trailer included
 *    8  +--------+--------+--------+--------+
 *       |  job (u64)                        |   first bytes of the SHA-256 of the job's name
 *   16  +--------+--------+--------+--------+
 *       |  node id of the sender            |   16 bytes, not all zero
 *   32  +--------+--------+--------+--------+
 *       |  incarnation of the sender (u64)  |   1 to 2^62
 *   40  +--------+--------+--------+--------+
 *       |  counter (u64)                    |   from 1, by one with each datagram of an interface
 *   48  +--------+--------+--------+--------+
 *       |  interface index of the sender    |   1 to 2^31-1
 *   52  +--------+--------+--------+--------+
 *       |  flags (u16)    | reserved (u16)  |   bit 0: the trailer is a MAC; others 0, ignored
 *   56  +--------+--------+--------+--------+
 * </pre>
 *
 * <p>{@link DatagramSeal} writes and checks the trailer.
 */
public record DatagramHeader(
    DatagramType type,
    long job,
    NodeId sender,
    long incarnation,
    int interfaceIndex,
    long counter) {
  static final int MAGIC = 0x4D534E42;
  static final byte VERSION = 1;

  static final int MAGIC_OFFSET = 0;
  static final int VERSION_OFFSET = MAGIC_OFFSET + Integer.BYTES;
  static final int TYPE_OFFSET = VERSION_OFFSET + Byte.BYTES;
  static final int LENGTH_OFFSET = TYPE_OFFSET + Byte.BYTES;
  static final int JOB_OFFSET = LENGTH_OFFSET + Short.BYTES;
  static final int SENDER_OFFSET = JOB_OFFSET + Long.BYTES;
  static final int INCARNATION_OFFSET = SENDER_OFFSET + NodeId.LENGTH_BYTES;
  static final int COUNTER_OFFSET = INCARNATION_OFFSET + Long.BYTES;
  static final int INTERFACE_OFFSET = COUNTER_OFFSET + Long.BYTES;
  static final int FLAGS_OFFSET = INTERFACE_OFFSET + Integer.BYTES;

  /** Length of the header. */
  public static final int LENGTH_BYTES = FLAGS_OFFSET + 2 * Short.BYTES;

  /** Max incarnation, so that a node can always have a higher one than it has met. */
  public static final long MAX_INCARNATION = 1L << 62;

  static final int FLAG_MAC = 1;

  public DatagramHeader {
    Objects.requireNonNull(type, "type");
    requireNode(sender);
    requireIncarnation(incarnation);
    if (interfaceIndex < 1) {
      throw new IllegalArgumentException("interface index " + interfaceIndex + " is not positive");
    }
    if (counter < 1) {
      throw new IllegalArgumentException("counter " + counter + " is not positive");
    }
  }

  static void requireNode(NodeId node) {
    if (node.high() == 0 && node.low() == 0) {
      throw new IllegalArgumentException("the node id is zero");
    }
  }

  static void requireIncarnation(long incarnation) {
    if (incarnation < 1 || incarnation > MAX_INCARNATION) {
      throw new IllegalArgumentException("incarnation " + incarnation + " is not 1 to 2^62");
    }
  }

  void writeTo(ByteBuffer datagram) {
    datagram
        .putInt(MAGIC)
        .put(VERSION)
        .put((byte) type.code())
        .putShort((short) 0) // DatagramSeal knows the length.
        .putLong(job)
        .putLong(sender.high())
        .putLong(sender.low())
        .putLong(incarnation)
        .putLong(counter)
        .putInt(interfaceIndex)
        .putInt(0);
  }

  /**
   * Reads the header; says nothing of the body and the trailer.
   *
   * @throws MalformedDatagram if this is no datagram of ours of this version
   */
  public static DatagramHeader decode(byte[] datagram) throws MalformedDatagram {
    if (datagram.length < LENGTH_BYTES || datagram.length > DatagramSeal.MAX_DATAGRAM_BYTES) {
      throw new MalformedDatagram(datagram.length + " bytes are no datagram");
    }
    ByteBuffer bytes = ByteBuffer.wrap(datagram);
    if (bytes.getInt(MAGIC_OFFSET) != MAGIC) {
      throw new MalformedDatagram("the first bytes are not \"MSNB\"");
    }
    if (bytes.get(VERSION_OFFSET) != VERSION) {
      throw new MalformedDatagram("version " + bytes.get(VERSION_OFFSET) + " met " + VERSION);
    }
    if (Short.toUnsignedInt(bytes.getShort(LENGTH_OFFSET)) != datagram.length) {
      throw new MalformedDatagram("the length is not that of the datagram");
    }
    DatagramType type = DatagramType.ofCode(bytes.get(TYPE_OFFSET));
    try {
      return new DatagramHeader(
          type,
          bytes.getLong(JOB_OFFSET),
          new NodeId(bytes.getLong(SENDER_OFFSET), bytes.getLong(SENDER_OFFSET + Long.BYTES)),
          bytes.getLong(INCARNATION_OFFSET),
          bytes.getInt(INTERFACE_OFFSET),
          bytes.getLong(COUNTER_OFFSET));
    } catch (IllegalArgumentException e) {
      throw new MalformedDatagram(e.getMessage());
    }
  }
}
