// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.relay;

import java.nio.ByteBuffer;
import java.util.HexFormat;

/** A node's id ({@link io.meshtransport.spi.Peer#id}) as a number of 128 bits. */
record NodeNumber(long high, long low) implements Comparable<NodeNumber> {
  static final int BYTES = 2 * Long.BYTES;
  private static final int DIGITS = 2 * BYTES;

  /**
   * @param text 32 hexadecimal digits
   * @throws IllegalArgumentException if they are not
   */
  static NodeNumber of(String text) {
    if (text.length() != DIGITS) {
      throw new IllegalArgumentException(
          "'" + text + "' is no node's id: it has 32 hexadecimal digits");
    }
    return new NodeNumber(
        HexFormat.fromHexDigitsToLong(text, 0, DIGITS / 2),
        HexFormat.fromHexDigitsToLong(text, DIGITS / 2, DIGITS));
  }

  void put(ByteBuffer buffer, int at) {
    buffer.putLong(at, high);
    buffer.putLong(at + Long.BYTES, low);
  }

  /** Whether this id is at a place in a buffer. */
  boolean isAt(ByteBuffer buffer, int at) {
    return buffer.getLong(at) == high && buffer.getLong(at + Long.BYTES) == low;
  }

  static NodeNumber at(ByteBuffer buffer, int at) {
    return new NodeNumber(buffer.getLong(at), buffer.getLong(at + Long.BYTES));
  }

  @Override
  public int compareTo(NodeNumber other) {
    int highs = Long.compareUnsigned(high, other.high);
    return highs == 0 ? Long.compareUnsigned(low, other.low) : highs;
  }

  /** As {@link io.meshtransport.spi.Peer#id}. */
  @Override
  public String toString() {
    HexFormat hex = HexFormat.of();
    return hex.toHexDigits(high) + hex.toHexDigits(low);
  }
}
