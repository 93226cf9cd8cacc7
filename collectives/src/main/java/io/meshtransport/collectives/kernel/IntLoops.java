// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.kernel;

import io.meshtransport.collectives.ReduceOp;

/** Folds of {@code int} arrays; each loop is a method of its own, so that it is compiled alone. */
final class IntLoops {
  private IntLoops() {}

  /** {@code a[i] = a[i] op b[i]} for the first n elements. */
  static void fold(ReduceOp op, int[] a, int[] b, int n) {
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

  private static void add(int[] a, int[] b, int n) {
    for (int i = 0; i < n; i++) {
      a[i] += b[i];
    }
  }

  private static void min(int[] a, int[] b, int n) {
    for (int i = 0; i < n; i++) {
      a[i] = Math.min(a[i], b[i]);
    }
  }

  private static void max(int[] a, int[] b, int n) {
    for (int i = 0; i < n; i++) {
      a[i] = Math.max(a[i], b[i]);
    }
  }

  private static void multiply(int[] a, int[] b, int n) {
    for (int i = 0; i < n; i++) {
      a[i] *= b[i];
    }
  }

  private static void and(int[] a, int[] b, int n) {
    for (int i = 0; i < n; i++) {
      a[i] &= b[i];
    }
  }

  private static void or(int[] a, int[] b, int n) {
    for (int i = 0; i < n; i++) {
      a[i] |= b[i];
    }
  }

  private static void xor(int[] a, int[] b, int n) {
    for (int i = 0; i < n; i++) {
      a[i] ^= b[i];
    }
  }

  /** Divides the first n elements, rounding towards zero. */
  static void divide(int[] a, int divisor, int n) {
    for (int i = 0; i < n; i++) {
      a[i] /= divisor;
    }
  }
}
