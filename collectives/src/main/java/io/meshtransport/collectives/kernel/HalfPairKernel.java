// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.kernel;

import io.meshtransport.collectives.ReduceOp;
import java.nio.ByteBuffer;
import java.nio.IntBuffer;

/**
 * Folds halves into halves, each result rounded, by way of blocks of ints on the heap that hold a
 * pair each: the lower halves of a block together, then the upper ones. Which of a pair comes first
 * in memory does not matter.
 */
final class HalfPairKernel implements Kernel {
  private static final int BYTES = Short.BYTES;
  private static final int UPPER = 0xFFFF0000;

  private final ViewCache<IntBuffer> views = new ViewCache<>(ByteBuffer::asIntBuffer);
  private final int[] left = new int[Block.ELEMENTS];
  private final int[] right = new int[Block.ELEMENTS];
  private final int[] upper = new int[Block.ELEMENTS];
  private final int[] lowerResults = new int[Block.ELEMENTS];
  private final int[] upperResults = new int[Block.ELEMENTS];
  private final float[] a = new float[Block.ELEMENTS];
  private final float[] b = new float[Block.ELEMENTS];
  private final HalfBlocks blocks;
  private final Kernel last;
  private final ReduceOp op;

  /**
   * @param brain whether they are bfloat16
   */
  HalfPairKernel(boolean brain, ReduceOp op) {
    this.blocks = new HalfBlocks(brain);
    this.last = new FloatKernel(new HalfFormat(brain), new HalfFormat(brain), op);
    this.op = op;
  }

  @Override
  public void fold(
      ByteBuffer accumulator,
      int accumulatorOffset,
      ByteBuffer operand,
      int operandOffset,
      int count) {
    Ranges.check("accumulator", accumulator, accumulatorOffset, count, BYTES);
    Ranges.check("operand", operand, operandOffset, count, BYTES);
    int pairs = count / 2;
    if (pairs > 0) {
      foldPairs(accumulator, accumulatorOffset, operand, operandOffset, pairs);
    }
    int done = pairs * 2 * BYTES;
    last.fold(accumulator, accumulatorOffset + done, operand, operandOffset + done, count & 1);
  }

  private void foldPairs(ByteBuffer accumulator, int to, ByteBuffer operand, int from, int pairs) {
    IntBuffer target = views.of(accumulator, to % Integer.BYTES);
    IntBuffer source = views.of(operand, from % Integer.BYTES);
    for (int done = 0; done < pairs; done += Block.ELEMENTS) {
      int n = Math.min(Block.ELEMENTS, pairs - done);
      target.get(to / Integer.BYTES + done, left, 0, n);
      source.get(from / Integer.BYTES + done, right, 0, n);
      foldBlock(n);
      target.put(to / Integer.BYTES + done, left, 0, n);
    }
  }

  private void foldBlock(int n) {
    lift(left, upper, n);
    blocks.widen(upper, a, n);
    lift(right, upper, n);
    blocks.widen(upper, b, n);
    FloatLoops.fold(op, a, b, n);
    blocks.narrow(a, lowerResults, n);
    mask(left, upper, n);
    blocks.widen(upper, a, n);
    mask(right, upper, n);
    blocks.widen(upper, b, n);
    FloatLoops.fold(op, a, b, n);
    blocks.narrow(a, upperResults, n);
    join(lowerResults, upperResults, left, n);
  }

  private static void lift(int[] pairs, int[] upper, int n) {
    for (int i = 0; i < n; i++) {
      upper[i] = pairs[i] << 16;
    }
  }

  private static void mask(int[] pairs, int[] upper, int n) {
    for (int i = 0; i < n; i++) {
      upper[i] = pairs[i] & UPPER;
    }
  }

  private static void join(int[] lower, int[] upper, int[] pairs, int n) {
    for (int i = 0; i < n; i++) {
      pairs[i] = lower[i] | upper[i] << 16;
    }
  }
}
