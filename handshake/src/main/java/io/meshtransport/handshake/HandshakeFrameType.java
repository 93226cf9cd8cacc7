// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import io.meshtransport.handshake.HandshakeException.Reason;

/** The frames of the handshake: code on the wire and the lengths each may have, in bytes. */
enum HandshakeFrameType {
  /** First frame of the connector: {@link Hello}. */
  HELLO_CONNECT(1, Hello.MIN_LENGTH_BYTES, Hello.MAX_LENGTH_BYTES),
  /** The acceptor's answer once its queue pair can receive: {@link Hello}. */
  HELLO_ACCEPT(2, Hello.MIN_LENGTH_BYTES, Hello.MAX_LENGTH_BYTES),
  /** The acceptor's challenge when a secret is set: {@link Challenge}. */
  CHALLENGE(3, Challenge.LENGTH_BYTES, Challenge.LENGTH_BYTES),
  /** That the sender knows the secret: {@link Proof}. */
  PROOF(4, Proof.LENGTH_BYTES, Proof.LENGTH_BYTES),
  /** The sender's queue pair can receive and send: {@link Ready}. */
  READY(5, Ready.LENGTH_BYTES, Ready.LENGTH_BYTES),
  /** The sender ends the handshake with a reason: {@link Refuse}. */
  REFUSE(6, Refuse.MIN_LENGTH_BYTES, Refuse.MAX_LENGTH_BYTES),
  /** First frame of a handle query: {@link HandleQuery}. */
  QUERY(7, HandleQuery.LENGTH_BYTES, HandleQuery.LENGTH_BYTES),
  /** The answer to it: {@link HandleAnswer}. */
  HANDLE(8, HandleAnswer.MIN_LENGTH_BYTES, HandleAnswer.MAX_LENGTH_BYTES);

  private final int code;
  private final int minLengthBytes;
  private final int maxLengthBytes;

  HandshakeFrameType(int code, int minLengthBytes, int maxLengthBytes) {
    this.code = code;
    this.minLengthBytes = minLengthBytes;
    this.maxLengthBytes = maxLengthBytes;
  }

  byte code() {
    return (byte) code;
  }

  static HandshakeFrameType ofCode(byte code) throws WireException {
    for (HandshakeFrameType type : values()) {
      if (type.code == code) {
        return type;
      }
    }
    throw new WireException(Reason.GARBAGE, "frame type " + (code & 0xFF) + " is unknown");
  }

  void requireLength(int lengthBytes) throws WireException {
    if (lengthBytes < minLengthBytes || lengthBytes > maxLengthBytes) {
      throw new WireException(
          Reason.GARBAGE,
          this
              + " of "
              + lengthBytes
              + " bytes; it has "
              + minLengthBytes
              + " to "
              + maxLengthBytes);
    }
  }
}
