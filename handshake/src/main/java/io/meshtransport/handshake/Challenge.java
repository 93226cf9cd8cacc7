// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import java.nio.ByteBuffer;

/**
 * The acceptor's challenge to a connector when MESH_SECRET is set. Its random bytes make every
 * transcript new, so that a recorded {@link Proof} is worthless.
 *
 * <pre>
 *        0        1        2        3
 *    0  +--------+--------+--------+--------+
 *       |  {@link HandshakeFrameHeader}, type 3             |
 *    8  +--------+--------+--------+--------+
 *       |  connection nonce                 |   16 bytes, echoed
 *   24  +--------+--------+--------+--------+
 *       |  random bytes                     |   32 bytes, drawn by the acceptor
 *   56  +--------+--------+--------+--------+
 *       |  CRC-32C                          |
 *   60  +--------+--------+--------+--------+
 * </pre>
 *
 * @param random 32 bytes; neither copied nor changed
 */
record Challenge(ConnectionNonce nonce, byte[] random) implements HandshakeFrame {
  static final int RANDOM_BYTES = 32;
  static final int NONCE_OFFSET = HandshakeFrameHeader.LENGTH_BYTES;
  static final int RANDOM_OFFSET = NONCE_OFFSET + ConnectionNonce.LENGTH_BYTES;
  static final int LENGTH_BYTES =
      RANDOM_OFFSET + RANDOM_BYTES + HandshakeFrameHeader.CRC_LENGTH_BYTES;

  @Override
  public byte[] encode() {
    ByteBuffer frame = HandshakeFrameHeader.begin(HandshakeFrameType.CHALLENGE, LENGTH_BYTES);
    nonce.writeTo(frame, NONCE_OFFSET);
    return HandshakeFrameHeader.seal(frame.put(RANDOM_OFFSET, random));
  }

  static Challenge decodeBody(byte[] bytes) {
    ByteBuffer frame = ByteBuffer.wrap(bytes);
    byte[] random = new byte[RANDOM_BYTES];
    frame.get(RANDOM_OFFSET, random);
    return new Challenge(ConnectionNonce.readFrom(frame, NONCE_OFFSET), random);
  }
}
