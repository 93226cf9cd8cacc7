// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.kernel;

import io.meshtransport.collectives.ReduceOp;
import java.nio.ByteBuffer;

/**
 * Folds by way of blocks of {@code double}s on the heap, where the compiler makes vectors of a
 * loop.
 */
final class DoubleKernel implements Kernel {
  private final DoubleFormat accumulators;
  private final DoubleFormat operands;
  private final ReduceOp op;
  private final double[] left = new double[Block.ELEMENTS];
  private final double[] right = new double[Block.ELEMENTS];

  DoubleKernel(DoubleFormat accumulators, DoubleFormat operands, ReduceOp op) {
    this.accumulators = accumulators;
    this.operands = operands;
    this.op = op;
  }

  @Override
  public void fold(
      ByteBuffer accumulator,
      int accumulatorOffset,
      ByteBuffer operand,
      int operandOffset,
      int count) {
    int accumulatorBytes = accumulators.elementBytes();
    int operandBytes = operands.elementBytes();
    Ranges.check("accumulator", accumulator, accumulatorOffset, count, accumulatorBytes);
    Ranges.check("operand", operand, operandOffset, count, operandBytes);
    for (int done = 0; done < count; done += Block.ELEMENTS) {
      int n = Math.min(Block.ELEMENTS, count - done);
      int place = accumulatorOffset + done * accumulatorBytes;
      accumulators.read(accumulator, place, left, n);
      operands.read(operand, operandOffset + done * operandBytes, right, n);
      DoubleLoops.fold(op, left, right, n);
      accumulators.write(accumulator, place, left, n);
    }
  }
}
