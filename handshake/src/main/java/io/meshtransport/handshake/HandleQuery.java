// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import java.nio.ByteBuffer;

/**
 * Queries the handle of the node at an address. First frame of a connection that ends with the
 * answer, {@link HandleAnswer}. Big-endian.
 *
 * <pre>
 *        0        1        2        3
 *    0  +--------+--------+--------+--------+
 *       |  {@link HandshakeFrameHeader}, type 7             |
 *    8  +--------+--------+--------+--------+
 *       |  connection nonce                 |   16 bytes, chosen by the querying node
 *   24  +--------+--------+--------+--------+
 *       |  reserved (8 bytes)               |   0, ignored
 *   32  +--------+--------+--------+--------+
 *       |  capabilities (u32)               |   bit 0: the sender has a secret; others 0, ignored
 *   36  +--------+--------+--------+--------+
 *       |  CRC-32C                          |
 *   40  +--------+--------+--------+--------+
 * </pre>
 */
record HandleQuery(ConnectionNonce nonce, int capabilities) implements OpeningFrame {
  static final int NONCE_OFFSET = HandshakeFrameHeader.LENGTH_BYTES;
  static final int RESERVED_OFFSET = NONCE_OFFSET + ConnectionNonce.LENGTH_BYTES;
  static final int CAPABILITIES_OFFSET = RESERVED_OFFSET + Long.BYTES;
  static final int LENGTH_BYTES =
      CAPABILITIES_OFFSET + Integer.BYTES + HandshakeFrameHeader.CRC_LENGTH_BYTES;

  @Override
  public byte[] encode() {
    ByteBuffer frame = HandshakeFrameHeader.begin(HandshakeFrameType.QUERY, LENGTH_BYTES);
    nonce.writeTo(frame, NONCE_OFFSET);
    frame.putInt(CAPABILITIES_OFFSET, capabilities);
    return HandshakeFrameHeader.seal(frame);
  }

  static HandleQuery decodeBody(byte[] bytes) {
    ByteBuffer frame = ByteBuffer.wrap(bytes);
    return new HandleQuery(
        ConnectionNonce.readFrom(frame, NONCE_OFFSET), frame.getInt(CAPABILITIES_OFFSET));
  }
}
