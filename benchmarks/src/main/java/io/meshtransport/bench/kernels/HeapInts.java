// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench.kernels;

import io.meshtransport.collectives.ReduceOp;

/**
 * Plain loops over {@code int} arrays, as anybody would write them: what kernels are measured by.
 */
final class HeapInts {
  private HeapInts() {}

  static void fold(ReduceOp op, int[] a, int[] b) {
    switch (op) {
      case SUM, AVG -> sum(a, b);
      case MIN -> min(a, b);
      case MAX -> max(a, b);
      case PROD -> product(a, b);
      case AND -> and(a, b);
      case OR -> or(a, b);
      case XOR -> xor(a, b);
    }
  }

  private static void sum(int[] a, int[] b) {
    for (int i = 0; i < a.length; i++) {
      a[i] += b[i];
    }
  }

  private static void min(int[] a, int[] b) {
    for (int i = 0; i < a.length; i++) {
      a[i] = Math.min(a[i], b[i]);
    }
  }

  private static void max(int[] a, int[] b) {
    for (int i = 0; i < a.length; i++) {
      a[i] = Math.max(a[i], b[i]);
    }
  }

  private static void product(int[] a, int[] b) {
    for (int i = 0; i < a.length; i++) {
      a[i] *= b[i];
    }
  }

  private static void and(int[] a, int[] b) {
    for (int i = 0; i < a.length; i++) {
      a[i] &= b[i];
    }
  }

  private static void or(int[] a, int[] b) {
    for (int i = 0; i < a.length; i++) {
      a[i] |= b[i];
    }
  }

  private static void xor(int[] a, int[] b) {
    for (int i = 0; i < a.length; i++) {
      a[i] ^= b[i];
    }
  }
}
