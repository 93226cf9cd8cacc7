// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.endpoint;

import java.nio.ByteBuffer;
import java.security.SecureRandom;

/**
 * 128 random bits of one endpoint, which it sends to the other end in the handshake and nowhere
 * else. An immutable value; any thread.
 */
public record WireToken(long high, long low) {
  public static final int LENGTH_BYTES = 2 * Long.BYTES;

  /** Where no handshake tells anything. */
  public static final WireToken NONE = new WireToken(0, 0);

  private static final SecureRandom RANDOM = new SecureRandom();

  public static WireToken draw() {
    return new WireToken(RANDOM.nextLong(), RANDOM.nextLong());
  }

  public void put(ByteBuffer into) {
    into.putLong(high).putLong(low);
  }

  public static WireToken get(ByteBuffer from) {
    return new WireToken(from.getLong(), from.getLong());
  }

  /** Unsigned, so that both ends put the two in one order. */
  public static int compare(WireToken one, WireToken other) {
    int order = Long.compareUnsigned(one.high, other.high);
    return order != 0 ? order : Long.compareUnsigned(one.low, other.low);
  }

  /** Says nothing of the token: texts end in logs. */
  @Override
  public String toString() {
    return "hidden";
  }
}
