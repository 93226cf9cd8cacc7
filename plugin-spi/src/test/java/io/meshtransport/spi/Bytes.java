// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import static org.junit.jupiter.api.Assertions.fail;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import java.util.Random;

/** Distinct message contents that can be checked byte by byte without a second copy. */
final class Bytes {
  private Bytes() {}

  static byte at(long seed, int index) {
    return (byte) (word(seed, index / Long.BYTES) >>> index % Long.BYTES * Byte.SIZE);
  }

  private static long word(long seed, int index) {
    long mixed = (seed * 0xBF58476D1CE4E5B9L + index + 1) * 0x9E3779B97F4A7C15L;
    return mixed ^ mixed >>> 29;
  }

  /** By words, for an emulated processor takes its time. */
  private static LongBuffer words(ByteBuffer buffer, int offset, int length) {
    return buffer.slice(offset, length).order(ByteOrder.LITTLE_ENDIAN).asLongBuffer();
  }

  static void fill(ByteBuffer buffer, int offset, int length, long seed) {
    LongBuffer words = words(buffer, offset, length);
    for (int i = 0; i < words.limit(); i++) {
      words.put(i, word(seed, i));
    }
    for (int i = words.limit() * Long.BYTES; i < length; i++) {
      buffer.put(offset + i, at(seed, i));
    }
  }

  static void check(ByteBuffer buffer, int offset, int length, long seed) {
    LongBuffer words = words(buffer, offset, length);
    int equal = 0;
    while (equal < words.limit() && words.get(equal) == word(seed, equal)) {
      equal++;
    }
    for (int i = equal * Long.BYTES; i < length; i++) {
      if (buffer.get(offset + i) != at(seed, i)) {
        fail(
            "byte "
                + i
                + " of "
                + length
                + " at "
                + offset
                + " is "
                + buffer.get(offset + i)
                + ", not "
                + at(seed, i));
      }
    }
  }

  /**
   * A seed from {@code -Dmesh.test.seed}, else a new one; printed, so that a run can be repeated.
   */
  static Random random(String what) {
    long seed = Long.getLong("mesh.test.seed", System.nanoTime());
    System.out.println(what + ": -Dmesh.test.seed=" + seed);
    return new Random(seed);
  }
}
