// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.HexFormat;

/**
 * The id of a node: 128 random bits, chosen when its transport opens. The node that answers at an
 * address must have the id of the handle, so a wrong cable is noticed before any data flows.
 *
 * @param high the first eight bytes, big-endian
 * @param low the last eight bytes, big-endian
 */
public record NodeId(long high, long low) {
  /** Length on the wire, in bytes. */
  public static final int LENGTH_BYTES = 16;

  private static final int TEXT_LENGTH = 2 * LENGTH_BYTES;

  /** A fresh id. Two ever drawn alike are not to be expected: 2^64 draws give even odds. */
  public static NodeId random(SecureRandom random) {
    return new NodeId(random.nextLong(), random.nextLong());
  }

  /**
   * Reads the text form.
   *
   * @throws IllegalArgumentException if the text is not 32 hexadecimal digits
   */
  public static NodeId parse(String text) {
    if (text.length() != TEXT_LENGTH || !text.matches("[0-9a-fA-F]+")) {
      throw new IllegalArgumentException("not a node id of 32 hexadecimal digits: '" + text + "'");
    }
    return new NodeId(
        Long.parseUnsignedLong(text, 0, TEXT_LENGTH / 2, 16),
        Long.parseUnsignedLong(text, TEXT_LENGTH / 2, TEXT_LENGTH, 16));
  }

  static NodeId readFrom(ByteBuffer bytes, int offset) {
    return new NodeId(bytes.getLong(offset), bytes.getLong(offset + Long.BYTES));
  }

  void writeTo(ByteBuffer bytes, int offset) {
    bytes.putLong(offset, high).putLong(offset + Long.BYTES, low);
  }

  /** The first eight digits: enough for people to distinguish the nodes of one mesh. */
  public String shortId() {
    return toString().substring(0, 8);
  }

  /** 32 hexadecimal digits, which {@link #parse} reads back. */
  @Override
  public String toString() {
    HexFormat hex = HexFormat.of();
    return hex.toHexDigits(high) + hex.toHexDigits(low);
  }

  // Written out: those that a record is given are linked at their first use, for milliseconds.
  @Override
  public boolean equals(Object other) {
    return other instanceof NodeId that && high == that.high && low == that.low;
  }

  @Override
  public int hashCode() {
    return Long.hashCode(31 * high + low);
  }
}
