// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.kernel;

import io.meshtransport.collectives.ReduceOp;

/**
 * Folds of {@code double} arrays; each loop is a method of its own, so that it is compiled alone.
 */
final class DoubleLoops {
  private DoubleLoops() {}

  /** {@code a[i] = a[i] op b[i]} for the first n elements. */
  static void fold(ReduceOp op, double[] a, double[] b, int n) {
    switch (op) {
      case SUM, AVG -> add(a, b, n);
      case MIN -> min(a, b, n);
      case MAX -> max(a, b, n);
      case PROD -> multiply(a, b, n);
      default -> throw new IllegalArgumentException(op + " of elements of type double");
    }
  }

  private static void add(double[] a, double[] b, int n) {
    for (int i = 0; i < n; i++) {
      a[i] += b[i];
    }
  }

  private static void min(double[] a, double[] b, int n) {
    for (int i = 0; i < n; i++) {
      a[i] = Math.min(a[i], b[i]);
    }
  }

  private static void max(double[] a, double[] b, int n) {
    for (int i = 0; i < n; i++) {
      a[i] = Math.max(a[i], b[i]);
    }
  }

  private static void multiply(double[] a, double[] b, int n) {
    for (int i = 0; i < n; i++) {
      a[i] *= b[i];
    }
  }

  /** Divides the first n elements. */
  static void divide(double[] a, double divisor, int n) {
    for (int i = 0; i < n; i++) {
      a[i] /= divisor;
    }
  }
}
