// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.HexFormat;

/**
 * Identifies one attempt to connect: 128 random bits, chosen by the connector and repeated in every
 * frame of that attempt by both sides. A retry has a new nonce, so that no nonce stands for two
 * connections.
 *
 * @param high the first eight bytes, big-endian
 * @param low the last eight bytes, big-endian
 */
public record ConnectionNonce(long high, long low) {
  /** Length on the wire, in bytes. */
  public static final int LENGTH_BYTES = 16;

  static ConnectionNonce random(SecureRandom random) {
    return new ConnectionNonce(random.nextLong(), random.nextLong());
  }

  static ConnectionNonce readFrom(ByteBuffer bytes, int offset) {
    return new ConnectionNonce(bytes.getLong(offset), bytes.getLong(offset + Long.BYTES));
  }

  void writeTo(ByteBuffer bytes, int offset) {
    bytes.putLong(offset, high).putLong(offset + Long.BYTES, low);
  }

  /** 32 hexadecimal digits. */
  @Override
  public String toString() {
    HexFormat hex = HexFormat.of();
    return hex.toHexDigits(high) + hex.toHexDigits(low);
  }

  // Written out: those that a record is given are linked at their first use, for milliseconds.
  @Override
  public boolean equals(Object other) {
    return other instanceof ConnectionNonce that && high == that.high && low == that.low;
  }

  @Override
  public int hashCode() {
    return Long.hashCode(31 * high + low);
  }
}
