// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench.kernels;

import io.meshtransport.collectives.ReduceOp;

/**
 * Plain loops over {@code byte} arrays, as anybody would write them: what kernels are measured by.
 */
final class HeapBytes {
  private HeapBytes() {}

  static void fold(ReduceOp op, byte[] a, byte[] b, boolean unsigned) {
    switch (op) {
      case SUM, AVG -> sum(a, b);
      case MIN -> {
        if (unsigned) {
          minUnsigned(a, b);
        } else {
          min(a, b);
        }
      }
      case MAX -> {
        if (unsigned) {
          maxUnsigned(a, b);
        } else {
          max(a, b);
        }
      }
      case PROD -> product(a, b);
      case AND -> and(a, b);
      case OR -> or(a, b);
      case XOR -> xor(a, b);
    }
  }

  private static void sum(byte[] a, byte[] b) {
    for (int i = 0; i < a.length; i++) {
      a[i] += b[i];
    }
  }

  private static void min(byte[] a, byte[] b) {
    for (int i = 0; i < a.length; i++) {
      a[i] = (byte) Math.min(a[i], b[i]);
    }
  }

  private static void max(byte[] a, byte[] b) {
    for (int i = 0; i < a.length; i++) {
      a[i] = (byte) Math.max(a[i], b[i]);
    }
  }

  private static void product(byte[] a, byte[] b) {
    for (int i = 0; i < a.length; i++) {
      a[i] *= b[i];
    }
  }

  private static void and(byte[] a, byte[] b) {
    for (int i = 0; i < a.length; i++) {
      a[i] &= b[i];
    }
  }

  private static void or(byte[] a, byte[] b) {
    for (int i = 0; i < a.length; i++) {
      a[i] |= b[i];
    }
  }

  private static void xor(byte[] a, byte[] b) {
    for (int i = 0; i < a.length; i++) {
      a[i] ^= b[i];
    }
  }

  private static void minUnsigned(byte[] a, byte[] b) {
    for (int i = 0; i < a.length; i++) {
      a[i] = (byte) Math.min(a[i] & 0xFF, b[i] & 0xFF);
    }
  }

  private static void maxUnsigned(byte[] a, byte[] b) {
    for (int i = 0; i < a.length; i++) {
      a[i] = (byte) Math.max(a[i] & 0xFF, b[i] & 0xFF);
    }
  }
}
