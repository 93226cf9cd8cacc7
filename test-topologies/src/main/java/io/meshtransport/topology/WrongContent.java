// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

import java.nio.ByteBuffer;

/** A message arrived that is not the one that was sent: the worst a transport can do. */
public final class WrongContent extends RuntimeException {
  private static final long serialVersionUID = 1L;

  WrongContent(String message) {
    super(message);
  }

  /**
   * Checks every byte of a message.
   *
   * @throws WrongContent at the first wrong one, or if the length is wrong
   */
  public static void check(
      ByteBuffer buffer,
      int offsetBytes,
      MessageContent content,
      long sequence,
      int sentBytes,
      int arrivedBytes) {
    String message = "message " + sequence + " from " + content.from() + " to " + content.to();
    if (arrivedBytes != sentBytes) {
      throw new WrongContent(message + ": " + sentBytes + " bytes sent, " + arrivedBytes + " here");
    }
    long wrong = content.firstWrongByte(buffer, offsetBytes, arrivedBytes, sequence);
    if (wrong != MessageContent.NONE) {
      throw new WrongContent(
          message
              + " of "
              + sentBytes
              + " bytes: byte "
              + wrong
              + " is wrong, seed "
              + content.seed());
    }
  }
}
