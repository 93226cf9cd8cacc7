// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.kernel;

import io.meshtransport.collectives.ReduceOp;

/** Folds of {@code byte} arrays; each loop is a method of its own, so that it is compiled alone. */
final class ByteLoops {
  private ByteLoops() {}

  /** {@code a[i] = a[i] op b[i]} for the first n elements. */
  static void fold(ReduceOp op, byte[] a, byte[] b, int n) {
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

  private static void add(byte[] a, byte[] b, int n) {
    for (int i = 0; i < n; i++) {
      a[i] += b[i];
    }
  }

  private static void min(byte[] a, byte[] b, int n) {
    for (int i = 0; i < n; i++) {
      a[i] = (byte) Math.min(a[i], b[i]);
    }
  }

  private static void max(byte[] a, byte[] b, int n) {
    for (int i = 0; i < n; i++) {
      a[i] = (byte) Math.max(a[i], b[i]);
    }
  }

  private static void multiply(byte[] a, byte[] b, int n) {
    for (int i = 0; i < n; i++) {
      a[i] *= b[i];
    }
  }

  private static void and(byte[] a, byte[] b, int n) {
    for (int i = 0; i < n; i++) {
      a[i] &= b[i];
    }
  }

  private static void or(byte[] a, byte[] b, int n) {
    for (int i = 0; i < n; i++) {
      a[i] |= b[i];
    }
  }

  private static void xor(byte[] a, byte[] b, int n) {
    for (int i = 0; i < n; i++) {
      a[i] ^= b[i];
    }
  }

  /** As {@link #fold}, with the elements taken as 0 to 255. */
  static void foldUnsigned(ReduceOp op, byte[] a, byte[] b, int n) {
    switch (op) {
      case MIN -> minUnsigned(a, b, n);
      case MAX -> maxUnsigned(a, b, n);
      default -> fold(op, a, b, n);
    }
  }

  private static void minUnsigned(byte[] a, byte[] b, int n) {
    for (int i = 0; i < n; i++) {
      a[i] = (byte) Math.min(a[i] & 0xFF, b[i] & 0xFF);
    }
  }

  private static void maxUnsigned(byte[] a, byte[] b, int n) {
    for (int i = 0; i < n; i++) {
      a[i] = (byte) Math.max(a[i] & 0xFF, b[i] & 0xFF);
    }
  }
}
