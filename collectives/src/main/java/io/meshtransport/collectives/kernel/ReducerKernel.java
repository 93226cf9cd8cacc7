// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.kernel;

import io.meshtransport.collectives.Reducer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** A user's own operation, which is given duplicates of the buffers. */
final class ReducerKernel implements Kernel {
  private final ViewCache<ByteBuffer> accumulators = new ViewCache<>(ReducerKernel::duplicate);
  private final ViewCache<ByteBuffer> operands =
      new ViewCache<>(buffer -> duplicate(buffer.asReadOnlyBuffer()));
  private final Reducer reducer;
  private final int elementBytes;

  /**
   * @throws IllegalArgumentException if its elements have no length
   */
  ReducerKernel(Reducer reducer) {
    this.reducer = reducer;
    this.elementBytes = reducer.elementBytes();
    if (elementBytes < 1) {
      throw new IllegalArgumentException(
          reducer + ": elements of " + elementBytes + " bytes; they need 1 or more");
    }
  }

  private static ByteBuffer duplicate(ByteBuffer buffer) {
    return buffer.duplicate().order(ByteOrder.nativeOrder());
  }

  @Override
  public void fold(
      ByteBuffer accumulator,
      int accumulatorOffset,
      ByteBuffer operand,
      int operandOffset,
      int count) {
    Ranges.check("accumulator", accumulator, accumulatorOffset, count, elementBytes);
    Ranges.check("operand", operand, operandOffset, count, elementBytes);
    if (count > 0) {
      int bytes = count * elementBytes;
      reducer.reduce(
          range(accumulators.of(accumulator, 0), accumulatorOffset, bytes),
          range(operands.of(operand, 0), operandOffset, bytes));
    }
  }

  private static ByteBuffer range(ByteBuffer buffer, int offset, int bytes) {
    // As a reducer may leave a mark or a limit, or another order.
    return buffer.clear().order(ByteOrder.nativeOrder()).position(offset).limit(offset + bytes);
  }
}
