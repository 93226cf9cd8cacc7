// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.kernel;

import io.meshtransport.collectives.DataType;
import io.meshtransport.collectives.ReduceOp;

/**
 * Kernels by the Vector API, where its module has been added ({@code --add-modules
 * jdk.incubator.vector}); Java 22 and newer load this class instead of the one of the same name
 * that has none. Nothing of the module is loaded before the answer is known. Any thread.
 */
final class Vectors {
  private static final boolean AVAILABLE =
      ModuleLayer.boot().findModule("jdk.incubator.vector").isPresent();

  private Vectors() {}

  /** Whether this Java has been given the module. */
  static boolean isAvailable() {
    return AVAILABLE;
  }

  /** Returns a new kernel; only where {@link #isAvailable}. */
  static Kernel kernel(DataType type, ReduceOp op) {
    return switch (type) {
      case F32 -> new FloatVectorKernel(op);
      case F64 -> new DoubleVectorKernel(op);
      case I32 -> new IntVectorKernel(op);
      case I64 -> new LongVectorKernel(op);
      case I8, U8 -> new ByteVectorKernel(op, type == DataType.U8);
      case F16, BF16 -> new FloatKernel(halves(type), halves(type), op);
    };
  }

  /** Returns a new format of F16 or BF16; only where {@link #isAvailable}. */
  static FloatFormat halves(DataType type) {
    return new VectorHalfFormat(type == DataType.BF16);
  }
}
