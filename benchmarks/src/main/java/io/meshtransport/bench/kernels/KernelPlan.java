// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench.kernels;

/**
 * How kernels are measured.
 *
 * @param kib length of each operand, in KiB; 64 stay in the second cache of most processors
 * @param millis how long each kernel and its peer are measured together, without warming up
 */
public record KernelPlan(int kib, int millis) {
  private static final int MAX_KIB = 1 << 18;
  private static final int MAX_MILLIS = 60_000;

  public KernelPlan {
    if (kib < 1 || kib > MAX_KIB) {
      throw new IllegalArgumentException("KiB: " + kib + " is outside 1.." + MAX_KIB);
    }
    if (millis < 1 || millis > MAX_MILLIS) {
      throw new IllegalArgumentException("millis: " + millis + " is outside 1.." + MAX_MILLIS);
    }
  }

  int bytes() {
    return kib << 10;
  }
}
