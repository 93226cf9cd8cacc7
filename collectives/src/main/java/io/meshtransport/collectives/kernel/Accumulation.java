// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.kernel;

import io.meshtransport.collectives.DataType;
import io.meshtransport.collectives.Precision;
import io.meshtransport.collectives.ReduceOp;

/**
 * How the elements of an operation are accumulated: as which type partial results travel, and what
 * happens where a fold begins and ends. A value; any thread. The kernels and converters that it
 * makes are for one thread each.
 *
 * <ul>
 *   <li>F16 and BF16, {@link Precision#EXACT}: partial results are F32, rounded to nearest even
 *       once, by {@link #finish}. {@link Precision#FAST}: partial results have the elements' type.
 *   <li>AVG of I8 and U8: sums are I32, which no group overflows, and the average always fits. AVG
 *       of I32 and I64: the sum wraps around as that of SUM does, then is divided.
 *   <li>All else: partial results have the elements' type, and {@link #finish} divides for AVG and
 *       copies otherwise.
 * </ul>
 *
 * <p>Averages of integers are rounded towards zero. Those of floats are divided as Java's {@code a
 * / n}, and rounded once more.
 *
 * @param elements type of the operation's elements
 * @param op how they are folded
 * @param partials as which type partial results travel
 */
public record Accumulation(DataType elements, ReduceOp op, DataType partials) {

  /**
   * @throws IllegalArgumentException if the operation has no meaning for the type, or partial
   *     results cannot have that type
   */
  public Accumulation {
    Kernels.check(elements, op);
    if (partials != elements && partials != wide(elements, op)) {
      throw new IllegalArgumentException(
          op + " of " + elements + " elements: partial results cannot be " + partials);
    }
  }

  /**
   * @throws IllegalArgumentException if the operation has no meaning for the type: AND, OR and XOR
   *     of floats
   */
  public static Accumulation of(DataType elements, ReduceOp op, Precision precision) {
    boolean isFast = precision == Precision.FAST && Kernels.isFloat(elements);
    return new Accumulation(elements, op, isFast ? elements : wide(elements, op));
  }

  private static DataType wide(DataType elements, ReduceOp op) {
    return switch (elements) {
      case F16, BF16 -> DataType.F32;
      case I8, U8 -> op == ReduceOp.AVG ? DataType.I32 : elements;
      case F32, F64, I32, I64 -> elements;
    };
  }

  /** Whether partial results are longer than elements, so that they need room of their own. */
  public boolean isWidening() {
    return partials != elements;
  }

  /** Returns a new kernel that folds partial results into partial results. */
  public Kernel partialsKernel() {
    return Kernels.of(partials, op);
  }

  /** Returns a new kernel that folds elements into partial results. */
  public Kernel elementsKernel() {
    if (!isWidening()) {
      return Kernels.of(partials, op);
    }
    return partials == DataType.F32
        ? new FloatKernel(Kernels.floats(partials), Kernels.floats(elements), op)
        : new IntKernel(Kernels.ints(partials), Kernels.ints(elements), op);
  }

  /** Returns a new converter of elements to partial results. */
  public Converter begin() {
    return convert(elements, partials, 1);
  }

  /**
   * Returns a new converter of the partial result of all ranks to elements. Where nothing is to be
   * done but to copy, and source and target are the same range of the same buffer, it does nothing.
   *
   * @param ranks whose elements were folded, 1 or more; AVG divides by it
   */
  public Converter finish(int ranks) {
    if (ranks < 1) {
      throw new IllegalArgumentException("ranks: " + ranks + " is less than 1");
    }
    return convert(partials, elements, op == ReduceOp.AVG ? ranks : 1);
  }

  private static Converter convert(DataType from, DataType to, int divisor) {
    if (from == to && divisor == 1) {
      return new CopyConverter(from.bytes());
    }
    return switch (from) {
      case F32, F16, BF16 -> new FloatConverter(Kernels.floats(from), Kernels.floats(to), divisor);
      case I32, I8, U8 -> new IntConverter(Kernels.ints(from), Kernels.ints(to), divisor);
      case F64 -> new DoubleConverter(new DoubleFormat(), new DoubleFormat(), divisor);
      case I64 -> new LongConverter(new LongFormat(), new LongFormat(), divisor);
    };
  }
}
