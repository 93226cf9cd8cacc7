// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.kernel;

import io.meshtransport.collectives.DataType;
import io.meshtransport.collectives.ReduceOp;

/**
 * Says that there are no kernels by the Vector API before Java 22; newer Javas load another class
 * of the same name. Any thread.
 */
final class Vectors {
  private Vectors() {}

  /**
   * Whether this Java has the Vector API on segments, and has been given its module. A method, for
   * the compiler would copy a constant into its callers.
   */
  static boolean isAvailable() {
    return false;
  }

  static Kernel kernel(DataType type, ReduceOp op) {
    throw notHere();
  }

  static FloatFormat halves(DataType type) {
    throw notHere();
  }

  private static IllegalStateException notHere() {
    return new IllegalStateException("no Vector API here; ask isAvailable first");
  }
}
