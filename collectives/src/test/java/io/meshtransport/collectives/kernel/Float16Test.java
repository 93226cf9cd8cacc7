// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Random;
import org.junit.jupiter.api.Test;

class Float16Test {
  /** By the definition of the format, in doubles. */
  private static double define(int half) {
    int exponent = half >> 10 & 0x1F;
    int mantissa = half & 0x3FF;
    double magnitude =
        exponent == 0x1F
            ? (mantissa == 0 ? Double.POSITIVE_INFINITY : Double.NaN)
            : exponent == 0
                ? Math.scalb((double) mantissa, -24)
                : Math.scalb(1024.0 + mantissa, exponent - 25);
    return (half & 0x8000) == 0 ? magnitude : -magnitude;
  }

  @Test
  void shouldWidenEachValueExactly() {
    for (int half = 0; half < 0x10000; half++) {
      float wide = Float16.toFloat((short) half);
      assertEquals(
          Float.floatToIntBits((float) define(half)), Float.floatToIntBits(wide), "half " + half);
      assertEquals(half >> 15, Float.floatToRawIntBits(wide) >>> 31, "sign of half " + half);
    }
  }

  @Test
  void shouldNarrowEachWidenedValueToItself() {
    for (int half = 0; half < 0x10000; half++) {
      boolean isSignalling = Double.isNaN(define(half)) && (half & 0x200) == 0;
      short expected = (short) (isSignalling ? half | 0x200 : half);
      assertEquals(expected, Float16.fromFloat(Float16.toFloat((short) half)), "half " + half);
    }
  }

  /** At, just below and just above the middle between any two neighbours. */
  @Test
  void shouldRoundToTheNearestAndHalfWayToEven() {
    for (int half = 0; half < 0x7C00; half++) {
      // The one after the greatest would be 65536, from whose middle on all is infinite.
      double above = half == 0x7BFF ? 65536 : define(half + 1);
      float middle = (float) ((define(half) + above) / 2);
      int even = half + (half & 1);
      for (int sign = 0; sign <= 0x8000; sign += 0x8000) {
        float signed = sign == 0 ? middle : -middle;
        assertEquals((short) (even | sign), Float16.fromFloat(signed), "middle " + signed);
        float towardsZero = sign == 0 ? Math.nextDown(signed) : Math.nextUp(signed);
        assertEquals((short) (half | sign), Float16.fromFloat(towardsZero), "below " + signed);
        float fromZero = sign == 0 ? Math.nextUp(signed) : Math.nextDown(signed);
        assertEquals((short) (half + 1 | sign), Float16.fromFloat(fromZero), "above " + signed);
      }
    }
  }

  @Test
  void shouldKeepNotANumber() {
    for (int bits : new int[] {0x7F800001, 0x7FC00000, 0xFF800001, 0xFFFFFFFF, 0x7F801FFF}) {
      short half = Float16.fromFloat(Float.intBitsToFloat(bits));
      assertTrue(Double.isNaN(define(half & 0xFFFF)), "bits " + bits);
      assertEquals(bits >>> 31, (half & 0xFFFF) >>> 15, "sign of " + bits);
    }
    assertEquals((short) 0x7C00, Float16.fromFloat(Float.MAX_VALUE));
    assertEquals((short) 0x8000, Float16.fromFloat(-Float.MIN_VALUE));
  }

  @Test
  void shouldConvertAsNewerJavasDo() throws Throwable {
    assumeTrue(
        Runtime.version().feature() >= 20, "Float.float16ToFloat came with Java 20, this is older");
    MethodHandles.Lookup lookup = MethodHandles.lookup();
    MethodHandle widen =
        lookup.findStatic(
            Float.class, "float16ToFloat", MethodType.methodType(float.class, short.class));
    MethodHandle narrow =
        lookup.findStatic(
            Float.class, "floatToFloat16", MethodType.methodType(short.class, float.class));
    for (int half = 0; half < 0x10000; half++) {
      assertEquals(
          Float.floatToIntBits((float) widen.invokeExact((short) half)),
          Float.floatToIntBits(Float16.toFloat((short) half)));
    }
    Random random = new Random(7);
    for (int i = 0; i < 1_000_000; i++) {
      float value = Float.intBitsToFloat(random.nextInt());
      if (!Float.isNaN(value)) {
        assertEquals((short) narrow.invokeExact(value), Float16.fromFloat(value), "of " + value);
      }
    }
  }
}
