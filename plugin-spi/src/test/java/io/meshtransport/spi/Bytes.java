package io.meshtransport.spi;

import static org.junit.jupiter.api.Assertions.fail;

import java.nio.ByteBuffer;
import java.util.Random;

/** Message contents that can be told apart, and checked byte by byte without a second copy. */
final class Bytes {
  private Bytes() {}

  static byte at(long seed, int index) {
    long mixed = (seed + index) * 0x9E3779B97F4A7C15L;
    return (byte) ((mixed ^ mixed >>> 29) >>> 32);
  }

  static void fill(ByteBuffer buffer, int offset, int length, long seed) {
    for (int i = 0; i < length; i++) {
      buffer.put(offset + i, at(seed, i));
    }
  }

  static void check(ByteBuffer buffer, int offset, int length, long seed) {
    for (int i = 0; i < length; i++) {
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
   * A seed from {@code -Dmesh.test.seed}, else a new one; printed, so that it can be given back.
   */
  static Random random(String what) {
    long seed = Long.getLong("mesh.test.seed", System.nanoTime());
    System.out.println(what + ": -Dmesh.test.seed=" + seed);
    return new Random(seed);
  }
}
