// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import java.nio.ByteBuffer;

/**
 * The sender's queue pair can receive and send. The connector sends it first; the acceptor's READY
 * ends the handshake.
 *
 * <pre>
 *        0        1        2        3
 *    0  +--------+--------+--------+--------+
 *       |  {@link HandshakeFrameHeader}, type 5             |
 *    8  +--------+--------+--------+--------+
 *       |  connection nonce                 |   16 bytes, echoed
 *   24  +--------+--------+--------+--------+
 *       |  CRC-32C                          |
 *   28  +--------+--------+--------+--------+
 * </pre>
 */
record Ready(ConnectionNonce nonce) implements HandshakeFrame {
  static final int NONCE_OFFSET = HandshakeFrameHeader.LENGTH_BYTES;
  static final int LENGTH_BYTES =
      NONCE_OFFSET + ConnectionNonce.LENGTH_BYTES + HandshakeFrameHeader.CRC_LENGTH_BYTES;

  @Override
  public byte[] encode() {
    ByteBuffer frame = HandshakeFrameHeader.begin(HandshakeFrameType.READY, LENGTH_BYTES);
    nonce.writeTo(frame, NONCE_OFFSET);
    return HandshakeFrameHeader.seal(frame);
  }

  static Ready decodeBody(byte[] bytes) {
    return new Ready(ConnectionNonce.readFrom(ByteBuffer.wrap(bytes), NONCE_OFFSET));
  }
}
