// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.kernel;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;

/**
 * Converts blocks of halves, binary16 or bfloat16, from and to floats, by loops of which Java 17
 * makes vectors. It makes none of {@link Float#intBitsToFloat} and none of branches: so bits become
 * floats by way of a scratch buffer, a copy in the first cache, and choices are masks. One thread
 * at a time.
 */
final class HalfBlocks {
  private static final int SIGN = 0x80000000;
  private static final int INFINITY = 0x7F800000;
  private static final int QUIET = 0x00400000;

  private final boolean brain;
  private final IntBuffer scratchBits;
  private final FloatBuffer scratchFloats;
  private final int[] bits = new int[Block.ELEMENTS];
  private final float[] magnitudes = new float[Block.ELEMENTS];

  /**
   * @param brain whether they are bfloat16
   */
  HalfBlocks(boolean brain) {
    this.brain = brain;
    ByteBuffer scratch =
        ByteBuffer.allocateDirect(Block.ELEMENTS * Float.BYTES).order(ByteOrder.nativeOrder());
    this.scratchBits = scratch.asIntBuffer();
    this.scratchFloats = scratch.asFloatBuffer();
  }

  /** Of halves in the upper parts of ints, whose lower parts are 0. */
  void widen(int[] upper, float[] floats, int count) {
    if (brain) {
      toFloats(upper, floats, count);
      return;
    }
    magnitudes(upper, bits, count);
    toFloats(bits, floats, count);
    rebias(floats, count);
    toBits(floats, bits, count);
    signsAndSpecials(upper, bits, count);
    toFloats(bits, floats, count);
  }

  private void toFloats(int[] from, float[] to, int count) {
    scratchBits.put(0, from, 0, count);
    scratchFloats.get(0, to, 0, count);
  }

  private void toBits(float[] from, int[] to, int count) {
    scratchFloats.put(0, from, 0, count);
    scratchBits.get(0, to, 0, count);
  }

  private static void magnitudes(int[] upper, int[] bits, int count) {
    for (int i = 0; i < count; i++) {
      bits[i] = (upper[i] & ~SIGN) >>> 3;
    }
  }

  private static void rebias(float[] floats, int count) {
    for (int i = 0; i < count; i++) {
      floats[i] *= Float16.REBIAS;
    }
  }

  private static void signsAndSpecials(int[] upper, int[] bits, int count) {
    for (int i = 0; i < count; i++) {
      int isSpecial = ((Float16.INFINITY << 16) - 1 - (upper[i] & ~SIGN)) >> 31;
      bits[i] |= isSpecial & INFINITY | upper[i] & SIGN;
    }
  }

  /** To halves in the lower parts of ints, whose upper parts are 0; rounds to nearest even. */
  void narrow(float[] floats, int[] lower, int count) {
    toBits(floats, lower, count);
    if (brain) {
      roundBrains(lower, count);
      return;
    }
    alignSubnormals(floats, magnitudes, count);
    toBits(magnitudes, bits, count);
    round(lower, bits, count);
  }

  private static void roundBrains(int[] bits, int count) {
    for (int i = 0; i < count; i++) {
      int isNaN = (INFINITY - (bits[i] & ~SIGN)) >> 31;
      int rounded = bits[i] + 0x7FFF + (bits[i] >>> 16 & 1);
      bits[i] = (rounded & ~isNaN | (bits[i] | QUIET) & isNaN) >>> 16;
    }
  }

  private static void alignSubnormals(float[] floats, float[] aligned, int count) {
    for (int i = 0; i < count; i++) {
      aligned[i] = Math.abs(floats[i]) + Float16.SUBNORMAL_MAGIC;
    }
  }

  /**
   * @param bits of the floats; replaced
   * @param subnormals bits of the floats' magnitudes with the magic added
   */
  private static void round(int[] bits, int[] subnormals, int count) {
    for (int i = 0; i < count; i++) {
      int magnitude = bits[i] & ~SIGN;
      int isSubnormal = (magnitude - Float16.NORMAL_BITS) >> 31;
      int isOver = (Float16.OVERFLOW_BITS - 1 - magnitude) >> 31;
      int isNaN = (INFINITY - magnitude) >> 31;
      int normal =
          magnitude - Float16.NORMAL_BITS + (1 << 23) + 0xFFF + (magnitude >>> Float16.SHIFT & 1)
              >>> Float16.SHIFT;
      int payload = Float16.QUIET | magnitude >>> Float16.SHIFT & 0x3FF;
      bits[i] =
          subnormals[i] - Float16.SUBNORMAL_MAGIC_BITS & isSubnormal
              | normal & ~isSubnormal & ~isOver
              | Float16.INFINITY & isOver
              | payload & isNaN
              | bits[i] >>> 16 & Float16.SIGN;
    }
  }
}
