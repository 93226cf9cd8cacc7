// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

/** One message of the handshake, as a value. Encoding and decoding is pure; any thread. */
sealed interface HandshakeFrame
    permits OpeningFrame, Challenge, Proof, HandleAnswer, Ready, Refuse {
  /** The whole frame, header and CRC included, in a fresh array. */
  byte[] encode();

  /**
   * Decodes a complete frame whose header {@link FrameAssembler} has checked.
   *
   * @throws WireException if the CRC or the body is wrong
   */
  static HandshakeFrame decode(byte[] frame) throws WireException {
    HandshakeFrameType type = HandshakeFrameHeader.type(frame);
    type.requireLength(frame.length);
    HandshakeFrameHeader.requireCrc(frame);
    return switch (type) {
      case HELLO_CONNECT, HELLO_ACCEPT -> Hello.decodeBody(type, frame);
      case CHALLENGE -> Challenge.decodeBody(frame);
      case PROOF -> Proof.decodeBody(frame);
      case READY -> Ready.decodeBody(frame);
      case QUERY -> HandleQuery.decodeBody(frame);
      case HANDLE -> HandleAnswer.decodeBody(frame);
      case REFUSE -> Refuse.decodeBody(frame);
    };
  }
}
