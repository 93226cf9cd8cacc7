// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * The first bytes that other software has sent, as texts quote them: without control characters.
 */
final class QuotedBytes {
  /** As many bytes as say what the software is, such as a status line or a banner. */
  static final int MAX_BYTES = 32;

  private static final char FIRST_PRINTABLE = ' ';
  private static final char LAST_PRINTABLE = '~';

  private final String text;

  /**
   * @param arrived read from its position on, which stays
   */
  QuotedBytes(ByteBuffer arrived) {
    byte[] first = new byte[Math.min(MAX_BYTES, arrived.remaining())];
    arrived.duplicate().get(first);
    StringBuilder quoted = new StringBuilder("\"");
    for (char each : new String(first, StandardCharsets.ISO_8859_1).toCharArray()) {
      if (each >= FIRST_PRINTABLE && each <= LAST_PRINTABLE && each != '"') {
        quoted.append(each);
      } else {
        quoted.append(String.format("\\x%02x", (int) each));
      }
    }
    text = quoted.append('"').append(first.length < arrived.remaining() ? " ..." : "").toString();
  }

  @Override
  public String toString() {
    return text;
  }
}
