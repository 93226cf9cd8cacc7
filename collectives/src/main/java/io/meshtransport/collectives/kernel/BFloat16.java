// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.kernel;

/** bfloat16 in a {@code short}: the upper half of a {@code float}. Any thread. */
final class BFloat16 {
  private static final int QUIET = 0x40;

  private BFloat16() {}

  /** Exact. */
  static float toFloat(short half) {
    return Float.intBitsToFloat(half << 16);
  }

  /**
   * Rounds to nearest even. NaN stays NaN, quiet, with its sign and the upper bits of its payload.
   */
  static short fromFloat(float value) {
    int bits = Float.floatToRawIntBits(value);
    if ((bits & 0x7FFFFFFF) > 0x7F800000) {
      return (short) (bits >>> 16 | QUIET);
    }
    return (short) ((bits + 0x7FFF + (bits >>> 16 & 1)) >>> 16);
  }
}
