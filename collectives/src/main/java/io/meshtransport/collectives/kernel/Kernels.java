// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.kernel;

import io.meshtransport.collectives.DataType;
import io.meshtransport.collectives.ReduceOp;
import io.meshtransport.collectives.Reducer;

/**
 * Kernels for this Java. Of several kernels for the same operation each thread has its own.
 *
 * <ul>
 *   <li>Floats: as Java's {@code a + b}, {@code a * b}, {@code Math.min}, {@code Math.max}. Where
 *       both are NaN the result is one of them, and which is not specified.
 *   <li>Integers wrap around. {@link DataType#U8} is compared as 0 to 255.
 *   <li>{@link DataType#F16} and {@link DataType#BF16}: computed as {@link DataType#F32}, and each
 *       result rounded to nearest even. {@link Accumulation} rounds once, where the fold ends.
 *   <li>{@link ReduceOp#AVG} folds as {@link ReduceOp#SUM}; {@link Accumulation#finish} divides.
 * </ul>
 */
public final class Kernels {
  private Kernels() {}

  /**
   * Returns a new kernel whose accumulators and operands have the same type.
   *
   * @throws IllegalArgumentException if the operation has no meaning for the type: AND, OR and XOR
   *     of floats
   */
  public static Kernel of(DataType type, ReduceOp op) {
    check(type, op);
    return hasVectors() ? Vectors.kernel(type, op) : byBlocks(type, op);
  }

  /** Whether kernels use the Vector API: Java 22 or newer with the module jdk.incubator.vector. */
  public static boolean hasVectors() {
    return Vectors.isAvailable();
  }

  /** Returns a new kernel that needs nothing but Java 17. */
  static Kernel byBlocks(DataType type, ReduceOp op) {
    return switch (type) {
      case F32, F16, BF16 -> new FloatKernel(floats(type), floats(type), op);
      case F64 -> new DoubleKernel(new DoubleFormat(), new DoubleFormat(), op);
      case I32 -> new IntKernel(ints(type), ints(type), op);
      case I64 -> new LongKernel(new LongFormat(), new LongFormat(), op);
      case I8, U8 -> new ByteKernel(op, type == DataType.U8);
    };
  }

  /**
   * Returns a new kernel of a user's own operation.
   *
   * @throws IllegalArgumentException if its elements have no length
   */
  public static Kernel of(Reducer reducer) {
    return new ReducerKernel(reducer);
  }

  /** Refuses what {@link #of(DataType, ReduceOp)} refuses. */
  static void check(DataType type, ReduceOp op) {
    if (isBitwise(op) && isFloat(type)) {
      throw new IllegalArgumentException(
          op
              + " of "
              + type
              + " elements: bitwise operations are for integers only;"
              + " use I8, U8, I32 or I64 to combine the bits of floats");
    }
  }

  private static boolean isBitwise(ReduceOp op) {
    return op == ReduceOp.AND || op == ReduceOp.OR || op == ReduceOp.XOR;
  }

  static boolean isFloat(DataType type) {
    return switch (type) {
      case F32, F64, F16, BF16 -> true;
      case I32, I64, I8, U8 -> false;
    };
  }

  /** Returns a new format of a type that is computed as float. */
  static FloatFormat floats(DataType type) {
    if (type == DataType.F32) {
      return new SingleFormat();
    }
    return hasVectors() ? Vectors.halves(type) : new HalfFormat(type == DataType.BF16);
  }

  /** Returns a new format of a type that is computed as int. */
  static IntFormat ints(DataType type) {
    return type == DataType.I32 ? new WholeFormat() : new OctetFormat(type == DataType.U8);
  }
}
