// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.kernel;

import io.meshtransport.collectives.ReduceOp;
import java.nio.ByteBuffer;

/**
 * Folds by way of blocks of {@code byte}s on the heap, where the compiler makes vectors of a loop.
 */
final class ByteKernel implements Kernel {
  private static final int BLOCK = Block.ELEMENTS * Float.BYTES;

  private final ViewCache<ByteBuffer> views = new ViewCache<>(ByteBuffer::slice);
  private final ReduceOp op;
  private final boolean unsigned;
  private final byte[] left = new byte[BLOCK];
  private final byte[] right = new byte[BLOCK];

  /**
   * @param unsigned whether elements are 0 to 255, which only minimum and maximum depend on
   */
  ByteKernel(ReduceOp op, boolean unsigned) {
    this.op = op;
    this.unsigned = unsigned;
  }

  @Override
  public void fold(
      ByteBuffer accumulator,
      int accumulatorOffset,
      ByteBuffer operand,
      int operandOffset,
      int count) {
    Ranges.check("accumulator", accumulator, accumulatorOffset, count, Byte.BYTES);
    Ranges.check("operand", operand, operandOffset, count, Byte.BYTES);
    ByteBuffer target = views.of(accumulator, 0);
    ByteBuffer source = views.of(operand, 0);
    for (int done = 0; done < count; done += BLOCK) {
      int n = Math.min(BLOCK, count - done);
      target.get(accumulatorOffset + done, left, 0, n);
      source.get(operandOffset + done, right, 0, n);
      fold(n);
      target.put(accumulatorOffset + done, left, 0, n);
    }
  }

  private void fold(int n) {
    if (unsigned) {
      ByteLoops.foldUnsigned(op, left, right, n);
    } else {
      ByteLoops.fold(op, left, right, n);
    }
  }
}
