// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench.kernels;

import io.meshtransport.collectives.DataType;
import io.meshtransport.collectives.ReduceOp;

/** The plain loop over arrays on the heap that a kernel is measured by. */
final class HeapLoop {
  private HeapLoop() {}

  /** Returns a fold of two arrays of so many bytes. */
  static Runnable of(DataType type, ReduceOp op, int bytes) {
    int count = bytes / type.bytes();
    return switch (type) {
      case F32 -> floats(op, new float[count], new float[count]);
      case F64 -> doubles(op, new double[count], new double[count]);
      case I32 -> ints(op, new int[count], new int[count]);
      case I64 -> longs(op, new long[count], new long[count]);
      case I8, U8 -> bytes(op, new byte[count], new byte[count], type == DataType.U8);
      case F16, BF16 -> brains(new short[count], new short[count]);
    };
  }

  private static Runnable floats(ReduceOp op, float[] a, float[] b) {
    return () -> HeapFloats.fold(op, a, b);
  }

  private static Runnable doubles(ReduceOp op, double[] a, double[] b) {
    return () -> HeapDoubles.fold(op, a, b);
  }

  private static Runnable ints(ReduceOp op, int[] a, int[] b) {
    return () -> HeapInts.fold(op, a, b);
  }

  private static Runnable longs(ReduceOp op, long[] a, long[] b) {
    return () -> HeapLongs.fold(op, a, b);
  }

  private static Runnable bytes(ReduceOp op, byte[] a, byte[] b, boolean unsigned) {
    return () -> HeapBytes.fold(op, a, b, unsigned);
  }

  private static Runnable brains(short[] a, short[] b) {
    return () -> HeapBrains.sum(a, b);
  }
}
