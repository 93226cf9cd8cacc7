// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import io.meshtransport.bench.kernels.KernelFigure;
import io.meshtransport.bench.kernels.KernelReport;
import java.util.Locale;

/** How fast kernels are, as people read it. */
final class KernelTable {
  private KernelTable() {}

  static String of(KernelReport report) {
    TextTable table = new TextTable("kernel", "Java", "by", "GB/s", "heap loop", "ratio");
    for (KernelFigure each : report.figures()) {
      table.row(
          each.name(),
          Integer.toString(each.java()),
          each.way(),
          number("%.1f", each.kernel()),
          number("%.1f", each.heap()),
          number("%.2f", each.ratio()));
    }
    return table
        + ("GB/s of one operand, of %d KiB; above 1 the kernel is faster than a plain loop over arrays."
                + " The loop beside F16 is BF16's.%n%s")
            .formatted(report.kib(), report.machine());
  }

  private static String number(String format, double value) {
    return String.format(Locale.ROOT, format, value);
  }
}
