// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

/** One message of the handshake, as a value. Encoding and decoding is pure; any thread. */
sealed interface Frame permits FirstWord, Challenge, Proof, HandleAnswer, Ready, Refuse {
  /** The whole frame, header and CRC included, in a fresh array. */
  byte[] encode();

  /**
   * Reads a whole frame whose header {@link FrameAssembler} has checked.
   *
   * @throws WireException if the CRC or the body is wrong
   */
  static Frame decode(byte[] frame) throws WireException {
    FrameType type = FrameHeader.type(frame);
    type.requireLength(frame.length);
    FrameHeader.requireCrc(frame);
    return switch (type) {
      case HELLO_CONNECT, HELLO_ACCEPT -> Hello.decodeBody(type, frame);
      case CHALLENGE -> Challenge.decodeBody(frame);
      case PROOF -> Proof.decodeBody(frame);
      case READY -> Ready.decodeBody(frame);
      case WHO -> Who.decodeBody(frame);
      case HANDLE -> HandleAnswer.decodeBody(frame);
      case REFUSE -> Refuse.decodeBody(frame);
    };
  }
}
