// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.kernel;

/** IEEE 754 binary16 in a {@code short}, and what it is as a {@code float}. Any thread. */
final class Float16 {
  static final int SIGN = 0x8000;
  static final int INFINITY = 0x7C00;
  static final int QUIET = 0x200;

  /** Bits of a float's mantissa that a half has not. */
  static final int SHIFT = 13;

  /** 2^112, the difference of the biases as a factor. */
  static final float REBIAS = Float.intBitsToFloat((127 + 127 - 15) << 23);

  /** The least float that rounds to infinity: 65520, half-way from 65504 to 65536. */
  static final int OVERFLOW_BITS = 0x477FF000;

  /** 2^-14, the least normal. */
  static final int NORMAL_BITS = (127 - 14) << 23;

  /** 0.5, whose last place is 2^-24, the least subnormal: adding it rounds to whole subnormals. */
  static final float SUBNORMAL_MAGIC = 0.5f;

  private Float16() {}

  /** Exact. A signalling NaN may become a quiet one. */
  static float toFloat(short half) {
    int magnitude = (half & 0x7FFF) << SHIFT;
    int sign = (half & SIGN) << 16;
    // The factor cannot lift infinity and NaN: their exponent becomes 143, and should be 255.
    int special = (INFINITY - 1 - (half & 0x7FFF)) >> 31 & 0x7F800000;
    return Float.intBitsToFloat(
        Float.floatToRawIntBits(Float.intBitsToFloat(magnitude) * REBIAS) | special | sign);
  }

  /**
   * Rounds to nearest even. NaN stays NaN, quiet, with its sign and the upper bits of its payload.
   */
  static short fromFloat(float value) {
    int bits = Float.floatToRawIntBits(value);
    int magnitude = bits & 0x7FFFFFFF;
    int half;
    if (magnitude >= OVERFLOW_BITS) {
      half = magnitude > 0x7F800000 ? INFINITY | QUIET | magnitude >> SHIFT & 0x3FF : INFINITY;
    } else if (magnitude < NORMAL_BITS) {
      half =
          Float.floatToRawIntBits(Float.intBitsToFloat(magnitude) + SUBNORMAL_MAGIC)
              - Float.floatToRawIntBits(SUBNORMAL_MAGIC);
    } else {
      half = (magnitude - NORMAL_BITS + (1 << 23) + 0xFFF + (magnitude >> SHIFT & 1)) >> SHIFT;
    }
    return (short) (half | bits >>> 16 & SIGN);
  }
}
