// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import java.nio.ByteBuffer;

/**
 * Proves that the sender knows MESH_SECRET and saw the same frames: a MAC over the transcript so
 * far, computed and checked by {@link SharedSecret}.
 *
 * <pre>
 *        0        1        2        3
 *    0  +--------+--------+--------+--------+
 *       |  {@link HandshakeFrameHeader}, type 4             |
 *    8  +--------+--------+--------+--------+
 *       |  connection nonce                 |   16 bytes, echoed
 *   24  +--------+--------+--------+--------+
 *       |  HMAC-SHA-256                     |   32 bytes (RFC 2104)
 *   56  +--------+--------+--------+--------+
 *       |  CRC-32C                          |
 *   60  +--------+--------+--------+--------+
 * </pre>
 *
 * @param mac 32 bytes; neither copied nor changed
 */
record Proof(ConnectionNonce nonce, byte[] mac) implements HandshakeFrame {
  static final int NONCE_OFFSET = HandshakeFrameHeader.LENGTH_BYTES;
  static final int MAC_OFFSET = NONCE_OFFSET + ConnectionNonce.LENGTH_BYTES;
  static final int LENGTH_BYTES =
      MAC_OFFSET + SharedSecret.MAC_BYTES + HandshakeFrameHeader.CRC_LENGTH_BYTES;

  @Override
  public byte[] encode() {
    ByteBuffer frame = HandshakeFrameHeader.begin(HandshakeFrameType.PROOF, LENGTH_BYTES);
    nonce.writeTo(frame, NONCE_OFFSET);
    return HandshakeFrameHeader.seal(frame.put(MAC_OFFSET, mac));
  }

  static Proof decodeBody(byte[] bytes) {
    ByteBuffer frame = ByteBuffer.wrap(bytes);
    byte[] mac = new byte[SharedSecret.MAC_BYTES];
    frame.get(MAC_OFFSET, mac);
    return new Proof(ConnectionNonce.readFrom(frame, NONCE_OFFSET), mac);
  }
}
