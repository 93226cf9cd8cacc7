// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.meshtransport.collectives.DataType;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The formats of this Java beside {@link Float16} and {@link BFloat16}, to the bit: of {@link
 * HalfBlocks}, or by the Vector API.
 */
class HalfBlocksTest {
  private static final int HALVES = 0x10000;

  @ParameterizedTest
  @EnumSource(
      value = DataType.class,
      names = {"F16", "BF16"})
  void shouldWidenEachHalf(DataType type) {
    ByteBuffer halves = Elements.buffer(2 * HALVES);
    for (int half = 0; half < HALVES; half++) {
      halves.putShort(2 * half, (short) half);
    }
    FloatFormat format = Kernels.floats(type);
    float[] block = new float[Block.ELEMENTS];
    for (int start = 0; start < HALVES; start += Block.ELEMENTS) {
      format.read(halves, 2 * start, block, Block.ELEMENTS);
      for (int i = 0; i < Block.ELEMENTS; i++) {
        float expected = NaiveFold.widen(type, (short) (start + i));
        assertEquals(Float.floatToIntBits(expected), Float.floatToIntBits(block[i]));
        assertEquals(
            Float.floatToRawIntBits(expected) >>> 31, Float.floatToRawIntBits(block[i]) >>> 31);
      }
    }
  }

  /**
   * Each half, and floats beside it and around the middle to the next one, NaN with payloads too.
   */
  @Tag("slow")
  @ParameterizedTest
  @EnumSource(
      value = DataType.class,
      names = {"F16", "BF16"})
  void shouldRoundEachFloat(DataType type) {
    FloatFormat format = Kernels.floats(type);
    int shift = type == DataType.BF16 ? 16 : 13;
    int middle = 1 << shift - 1;
    float[] block = new float[Block.ELEMENTS];
    ByteBuffer halves = Elements.buffer(2 * Block.ELEMENTS);
    for (long upper = 0; upper < 1L << 32; upper += (long) Block.ELEMENTS << shift) {
      for (int lower : new int[] {-1, 0, 1, middle - 1, middle, middle + 1}) {
        for (int i = 0; i < Block.ELEMENTS; i++) {
          block[i] = Float.intBitsToFloat((int) upper + (i << shift) + lower);
        }
        format.write(halves, 0, block, Block.ELEMENTS);
        for (int i = 0; i < Block.ELEMENTS; i++) {
          assertEquals(NaiveFold.narrow(type, block[i]), halves.getShort(2 * i));
        }
      }
    }
  }
}
