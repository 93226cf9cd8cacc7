// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.kernel;

import io.meshtransport.collectives.ReduceOp;

/** Folds of {@code long} arrays; each loop is a method of its own, so that it is compiled alone. */
final class LongLoops {
  private LongLoops() {}

  /** {@code a[i] = a[i] op b[i]} for the first n elements. */
  static void fold(ReduceOp op, long[] a, long[] b, int n) {
    switch (op) {
      case SUM, AVG -> add(a, b, n);
      case MIN -> min(a, b, n);
      case MAX -> max(a, b, n);
      case PROD -> multiply(a, b, n);
      case AND -> and(a, b, n);
      case OR -> or(a, b, n);
      case XOR -> xor(a, b, n);
    }
  }

  private static void add(long[] a, long[] b, int n) {
    for (int i = 0; i < n; i++) {
      a[i] += b[i];
    }
  }

  private static void min(long[] a, long[] b, int n) {
    for (int i = 0; i < n; i++) {
      a[i] = Math.min(a[i], b[i]);
    }
  }

  private static void max(long[] a, long[] b, int n) {
    for (int i = 0; i < n; i++) {
      a[i] = Math.max(a[i], b[i]);
    }
  }

  private static void multiply(long[] a, long[] b, int n) {
    for (int i = 0; i < n; i++) {
      a[i] *= b[i];
    }
  }

  private static void and(long[] a, long[] b, int n) {
    for (int i = 0; i < n; i++) {
      a[i] &= b[i];
    }
  }

  private static void or(long[] a, long[] b, int n) {
    for (int i = 0; i < n; i++) {
      a[i] |= b[i];
    }
  }

  private static void xor(long[] a, long[] b, int n) {
    for (int i = 0; i < n; i++) {
      a[i] ^= b[i];
    }
  }

  /** Divides the first n elements, rounding towards zero. */
  static void divide(long[] a, long divisor, int n) {
    for (int i = 0; i < n; i++) {
      a[i] /= divisor;
    }
  }
}
