// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench.kernels;

import io.meshtransport.collectives.ReduceOp;

/**
 * Plain loops over {@code long} arrays, as anybody would write them: what kernels are measured by.
 */
final class HeapLongs {
  private HeapLongs() {}

  static void fold(ReduceOp op, long[] a, long[] b) {
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

  private static void sum(long[] a, long[] b) {
    for (int i = 0; i < a.length; i++) {
      a[i] += b[i];
    }
  }

  private static void min(long[] a, long[] b) {
    for (int i = 0; i < a.length; i++) {
      a[i] = Math.min(a[i], b[i]);
    }
  }

  private static void max(long[] a, long[] b) {
    for (int i = 0; i < a.length; i++) {
      a[i] = Math.max(a[i], b[i]);
    }
  }

  private static void product(long[] a, long[] b) {
    for (int i = 0; i < a.length; i++) {
      a[i] *= b[i];
    }
  }

  private static void and(long[] a, long[] b) {
    for (int i = 0; i < a.length; i++) {
      a[i] &= b[i];
    }
  }

  private static void or(long[] a, long[] b) {
    for (int i = 0; i < a.length; i++) {
      a[i] |= b[i];
    }
  }

  private static void xor(long[] a, long[] b) {
    for (int i = 0; i < a.length; i++) {
      a[i] ^= b[i];
    }
  }
}
