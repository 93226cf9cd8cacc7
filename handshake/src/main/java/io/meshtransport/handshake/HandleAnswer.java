// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import io.meshtransport.handshake.HandshakeException.Reason;
import java.nio.ByteBuffer;

/**
 * Answers {@link HandleQuery}: the handle of the sender's oldest open listener. Big-endian.
 *
 * <pre>
 *        0        1        2        3
 *    0  +--------+--------+--------+--------+
 *       |  {@link HandshakeFrameHeader}, type 8             |
 *    8  +--------+--------+--------+--------+
 *       |  connection nonce                 |   16 bytes, echoed
 *   24  +--------+--------+--------+--------+
 *       | handle's length | reserved        |   u16, exactly what remains; 0, ignored
 *   28  +--------+--------+--------+--------+
 *       |  handle                           |   40 to 640 bytes, {@link PeerHandle} or {@link CompatHandle}
 *       +--------+--------+--------+--------+
 *       |  CRC-32C                          |
 *       +--------+--------+--------+--------+
 * </pre>
 *
 * @param handle neither copied nor changed
 */
record HandleAnswer(ConnectionNonce nonce, byte[] handle) implements HandshakeFrame {
  static final int NONCE_OFFSET = HandshakeFrameHeader.LENGTH_BYTES;
  static final int HANDLE_LENGTH_OFFSET = NONCE_OFFSET + ConnectionNonce.LENGTH_BYTES;
  static final int RESERVED_OFFSET = HANDLE_LENGTH_OFFSET + Short.BYTES;
  static final int HANDLE_OFFSET = RESERVED_OFFSET + Short.BYTES;
  static final int MIN_LENGTH_BYTES = lengthBytes(PeerHandle.MIN_LENGTH_BYTES);
  static final int MAX_LENGTH_BYTES = lengthBytes(CompatHandle.MAX_LENGTH_BYTES);

  private static int lengthBytes(int handleBytes) {
    return HANDLE_OFFSET + handleBytes + HandshakeFrameHeader.CRC_LENGTH_BYTES;
  }

  @Override
  public byte[] encode() {
    ByteBuffer frame =
        HandshakeFrameHeader.begin(HandshakeFrameType.HANDLE, lengthBytes(handle.length));
    nonce.writeTo(frame, NONCE_OFFSET);
    frame.putShort(HANDLE_LENGTH_OFFSET, (short) handle.length).put(HANDLE_OFFSET, handle);
    return HandshakeFrameHeader.seal(frame);
  }

  static HandleAnswer decodeBody(byte[] bytes) throws WireException {
    ByteBuffer frame = ByteBuffer.wrap(bytes);
    byte[] handle = new byte[bytes.length - lengthBytes(0)];
    if (Short.toUnsignedInt(frame.getShort(HANDLE_LENGTH_OFFSET)) != handle.length) {
      throw new WireException(Reason.GARBAGE, "the handle's length does not fit the frame's");
    }
    frame.get(HANDLE_OFFSET, handle);
    return new HandleAnswer(ConnectionNonce.readFrom(frame, NONCE_OFFSET), handle);
  }

  /**
   * Refuses bytes that are no handle.
   *
   * @return the handle
   */
  byte[] requireHandle() throws WireException {
    try {
      PeerHandle.decode(LegacyHandle.isMeant(handle) ? CompatHandle.ours(handle) : handle);
      return handle;
    } catch (HandleFormatException e) {
      throw new WireException(
          Reason.GARBAGE, "The bytes of its handle are none: " + e.getMessage() + ".");
    }
  }
}
