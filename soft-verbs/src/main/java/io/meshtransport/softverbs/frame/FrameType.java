// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.frame;

/** What a frame on the soft wire is; the number is its first byte. */
public enum FrameType {
  /** A piece of a message for a posted receive. */
  SEND(1),
  /** A piece of a message for registered memory. */
  WRITE(2),
  /** Requests bytes of registered memory; no payload. */
  READ_REQUEST(3),
  /** A piece of the bytes that were requested. */
  READ_RESPONSE(4),
  /** Requests an atomic; no payload, the header carries both operands. */
  ATOMIC_REQUEST(5),
  /** The value that was there before the atomic, in the header. */
  ATOMIC_RESPONSE(6),
  /** Every request up to and including the sequence number has been carried out. */
  ACK(7),
  /** The request failed for good; every one before it has been carried out. */
  NAK(8),
  /** The request found an empty receive queue; every one before it has been carried out. */
  RNR_NAK(9),
  /**
   * Makes the peer's kernel acknowledge, and the peer answer with an ACK of what it has carried
   * out.
   */
  PROBE(10),
  /**
   * The sender's end of a stream exists; with a destination, it knows the name of the other end.
   */
  OPEN(11),
  /** The last frame of the sender's end of a wire. */
  CLOSE(12);

  private static final FrameType[] BY_CODE = new FrameType[values().length + 1];

  static {
    for (FrameType type : values()) {
      BY_CODE[type.code] = type;
    }
  }

  private final int code;

  FrameType(int code) {
    this.code = code;
  }

  int code() {
    return code;
  }

  static boolean isKnown(int code) {
    return code > 0 && code < BY_CODE.length;
  }

  static FrameType ofCode(int code) {
    return BY_CODE[code];
  }
}
