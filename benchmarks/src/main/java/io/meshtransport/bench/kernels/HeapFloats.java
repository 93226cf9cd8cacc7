// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench.kernels;

import io.meshtransport.collectives.ReduceOp;

/**
 * Plain loops over {@code float} arrays, as anybody would write them: what kernels are measured by.
 */
final class HeapFloats {
  private HeapFloats() {}

  static void fold(ReduceOp op, float[] a, float[] b) {
    switch (op) {
      case SUM, AVG -> sum(a, b);
      case MIN -> min(a, b);
      case MAX -> max(a, b);
      case PROD -> product(a, b);
      default -> throw new IllegalArgumentException(op + " of floats");
    }
  }

  private static void sum(float[] a, float[] b) {
    for (int i = 0; i < a.length; i++) {
      a[i] += b[i];
    }
  }

  private static void min(float[] a, float[] b) {
    for (int i = 0; i < a.length; i++) {
      a[i] = Math.min(a[i], b[i]);
    }
  }

  private static void max(float[] a, float[] b) {
    for (int i = 0; i < a.length; i++) {
      a[i] = Math.max(a[i], b[i]);
    }
  }

  private static void product(float[] a, float[] b) {
    for (int i = 0; i < a.length; i++) {
      a[i] *= b[i];
    }
  }
}
