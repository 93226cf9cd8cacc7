// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench.kernels;

import io.meshtransport.collectives.ReduceOp;

/**
 * Plain loops over {@code double} arrays, as anybody would write them: what kernels are measured
 * by.
 */
final class HeapDoubles {
  private HeapDoubles() {}

  static void fold(ReduceOp op, double[] a, double[] b) {
    switch (op) {
      case SUM, AVG -> sum(a, b);
      case MIN -> min(a, b);
      case MAX -> max(a, b);
      case PROD -> product(a, b);
      default -> throw new IllegalArgumentException(op + " of floats");
    }
  }

  private static void sum(double[] a, double[] b) {
    for (int i = 0; i < a.length; i++) {
      a[i] += b[i];
    }
  }

  private static void min(double[] a, double[] b) {
    for (int i = 0; i < a.length; i++) {
      a[i] = Math.min(a[i], b[i]);
    }
  }

  private static void max(double[] a, double[] b) {
    for (int i = 0; i < a.length; i++) {
      a[i] = Math.max(a[i], b[i]);
    }
  }

  private static void product(double[] a, double[] b) {
    for (int i = 0; i < a.length; i++) {
      a[i] *= b[i];
    }
  }
}
