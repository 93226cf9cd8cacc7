// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class BFloat16Test {
  private static boolean isNaN(int half) {
    return (half & 0x7FFF) > 0x7F80;
  }

  @Test
  void shouldWidenEachValueExactly() {
    for (int half = 0; half < 0x10000; half++) {
      float wide = BFloat16.toFloat((short) half);
      assertEquals(isNaN(half), Float.isNaN(wide));
      if (!isNaN(half)) {
        assertEquals(half << 16, Float.floatToRawIntBits(wide));
      }
    }
  }

  @Test
  void shouldNarrowEachWidenedValueToItself() {
    for (int half = 0; half < 0x10000; half++) {
      short expected = (short) (isNaN(half) ? half | 0x40 : half);
      assertEquals(expected, BFloat16.fromFloat(BFloat16.toFloat((short) half)), "half " + half);
    }
  }

  @Test
  void shouldRoundToTheNearestAndHalfWayToEven() {
    for (int half = 0; half < 0x10000; half++) {
      if ((half & 0x7FFF) < 0x7F80) {
        assertEquals((short) half, narrow(half, 0x7FFF));
        assertEquals((short) (half + (half & 1)), narrow(half, 0x8000));
        assertEquals((short) (half + 1), narrow(half, 0x8001));
      }
    }
    assertEquals((short) 0x7F80, BFloat16.fromFloat(Float.MAX_VALUE));
  }

  private static short narrow(int half, int lowerBits) {
    return BFloat16.fromFloat(Float.intBitsToFloat(half << 16 | lowerBits));
  }

  @Test
  void shouldKeepNotANumber() {
    for (int bits : new int[] {0x7F800001, 0x7FC00000, 0xFF800001, 0xFFFFFFFF, 0x7F80FFFF}) {
      short half = BFloat16.fromFloat(Float.intBitsToFloat(bits));
      assertTrue(isNaN(half), "bits " + bits);
      assertEquals(bits >>> 31, (half & 0xFFFF) >>> 15, "sign of " + bits);
    }
  }
}
