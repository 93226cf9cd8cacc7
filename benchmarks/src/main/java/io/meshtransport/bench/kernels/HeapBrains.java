// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench.kernels;

/**
 * The plain loop over bfloat16 in {@code short} arrays, rounded to nearest even: what the kernels
 * of 16 bits are measured by, as Java 17 has no method for binary16. Sums only.
 */
final class HeapBrains {
  private HeapBrains() {}

  static void sum(short[] a, short[] b) {
    for (int i = 0; i < a.length; i++) {
      a[i] = narrow(Float.intBitsToFloat(a[i] << 16) + Float.intBitsToFloat(b[i] << 16));
    }
  }

  private static short narrow(float value) {
    int bits = Float.floatToRawIntBits(value);
    return Float.isNaN(value)
        ? (short) (bits >>> 16 | 0x40)
        : (short) ((bits + 0x7FFF + (bits >>> 16 & 1)) >>> 16);
  }
}
