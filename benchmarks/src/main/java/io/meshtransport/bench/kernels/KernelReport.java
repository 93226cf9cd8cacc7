// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench.kernels;

import java.util.List;

/**
 * What {@code ./mesh bench kernels} has found.
 *
 * @param kib length of each operand, in KiB
 * @param figures of each kernel on each Java
 * @param machine what it ran on
 */
public record KernelReport(int kib, List<KernelFigure> figures, String machine) {
  public KernelReport {
    figures = List.copyOf(figures);
  }
}
