// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import io.meshtransport.handshake.HandshakeException.Reason;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Refuses or fails the handshake. Either side may send it at any time; it is the sender's last
 * frame.
 *
 * <pre>
 *        0        1        2        3
 *    0  +--------+--------+--------+--------+
 *       |  {@link HandshakeFrameHeader}, type 6             |
 *    8  +--------+--------+--------+--------+
 *       |  reason (u16)   | text length     |   {@link Reason#code()}; u16, exactly what remains
 *   12  +--------+--------+--------+--------+
 *       |  text for people, UTF-8           |   0 to 256 bytes
 *       +--------+--------+--------+--------+
 *       |  CRC-32C                          |
 *       +--------+--------+--------+--------+
 * </pre>
 *
 * @param text cut at a whole character so that it fits
 */
record Refuse(Reason reason, String text) implements HandshakeFrame {
  static final int MAX_TEXT_BYTES = 256;
  static final int REASON_OFFSET = HandshakeFrameHeader.LENGTH_BYTES;
  static final int TEXT_LENGTH_OFFSET = REASON_OFFSET + Short.BYTES;
  static final int TEXT_OFFSET = TEXT_LENGTH_OFFSET + Short.BYTES;
  static final int MIN_LENGTH_BYTES = TEXT_OFFSET + HandshakeFrameHeader.CRC_LENGTH_BYTES;
  static final int MAX_LENGTH_BYTES = MIN_LENGTH_BYTES + MAX_TEXT_BYTES;

  @Override
  public byte[] encode() {
    ByteBuffer utf8 = ByteBuffer.allocate(MAX_TEXT_BYTES);
    // Stops by itself before the first character that no longer fits.
    StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text), utf8, true);
    ByteBuffer frame =
        HandshakeFrameHeader.begin(HandshakeFrameType.REFUSE, MIN_LENGTH_BYTES + utf8.position());
    frame
        .putShort(REASON_OFFSET, (short) reason.code())
        .putShort(TEXT_LENGTH_OFFSET, (short) utf8.position())
        .put(TEXT_OFFSET, utf8.array(), 0, utf8.position());
    return HandshakeFrameHeader.seal(frame);
  }

  static Refuse decodeBody(byte[] bytes) throws WireException {
    ByteBuffer frame = ByteBuffer.wrap(bytes);
    int textBytes = bytes.length - MIN_LENGTH_BYTES;
    if (Short.toUnsignedInt(frame.getShort(TEXT_LENGTH_OFFSET)) != textBytes) {
      throw new WireException(Reason.GARBAGE, "the text's length does not fit the frame's");
    }
    return new Refuse(
        Reason.ofCode(Short.toUnsignedInt(frame.getShort(REASON_OFFSET))),
        printable(new String(bytes, TEXT_OFFSET, textBytes, StandardCharsets.UTF_8)));
  }

  /** The peer's text, quoted; empty if it sent none. */
  String quoted() {
    return text.isEmpty() ? "" : "The peer's text: " + text;
  }

  /** Removes line breaks and terminal escapes, because the peer's text is logged. */
  private static String printable(String text) {
    return text.replaceAll("\\p{Cntrl}", "?");
  }
}
