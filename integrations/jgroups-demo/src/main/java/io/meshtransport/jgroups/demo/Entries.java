// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.demo;

import io.meshtransport.topology.MessageContent;
import java.nio.ByteBuffer;

/**
 * Entries of a cache: their keys, lengths and every byte follow from the seed and the number.
 *
 * @param count at least 1
 * @param minBytes of an entry's value
 * @param maxBytes not less than that
 */
public record Entries(long seed, int count, int minBytes, int maxBytes) {
  // Knuth's multiplier for linear congruential generators, of which the upper bits are good.
  private static final long MULTIPLIER = 6364136223846793005L;

  public Entries {
    if (count < 1 || minBytes < 0 || maxBytes < minBytes) {
      throw new IllegalArgumentException(
          count + " entries of " + minBytes + " to " + maxBytes + " bytes");
    }
  }

  String key(int number) {
    return "entry-" + number;
  }

  /** Length of an entry's value: any between the bounds is as likely as any other. */
  public int lengthBytes(int number) {
    long mixed = (seed + number) * MULTIPLIER * MULTIPLIER + seed;
    return minBytes + (int) ((mixed >>> 33) % (maxBytes - minBytes + 1));
  }

  /** Bytes of all values. */
  public long bytes() {
    long sum = 0;
    for (int number = 0; number < count; number++) {
      sum += lengthBytes(number);
    }
    return sum;
  }

  byte[] value(String cache, int number) {
    byte[] value = new byte[lengthBytes(number)];
    content(cache).fill(ByteBuffer.wrap(value), 0, value.length, number);
    return value;
  }

  boolean isRight(String cache, int number, byte[] value) {
    return value.length == lengthBytes(number)
        && content(cache).firstWrongByte(ByteBuffer.wrap(value), 0, value.length, number)
            == MessageContent.NONE;
  }

  private MessageContent content(String cache) {
    return new MessageContent(seed, cache, "entries");
  }
}
