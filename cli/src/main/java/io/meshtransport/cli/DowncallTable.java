// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import io.meshtransport.bench.downcalls.DowncallCase;
import io.meshtransport.bench.downcalls.DowncallReport;
import io.meshtransport.bench.downcalls.DowncallResult;
import java.util.Locale;

/** What calls cost, as people read it. */
final class DowncallTable {
  private DowncallTable() {}

  static String of(DowncallReport report) {
    TextTable figures = new TextTable("benchmark", "calls through", "ns", "+/-", "least", "B");
    report
        .figures()
        .forEach(
            (binding, all) -> {
              for (DowncallResult each : all) {
                figures.row(
                    each.name(),
                    binding,
                    number(each.nanos()),
                    number(each.errorNanos()),
                    number(each.minNanos()),
                    number(each.bytes()));
              }
            });
    TextTable cases = new TextTable("case", "ours", "peer", "is", "unit", "ratio");
    for (DowncallCase each : report.cases()) {
      cases.row(
          each.name(),
          number(each.ours()),
          number(each.peer()),
          each.peerName(),
          each.unit(),
          number(each.ratio()));
    }
    return figures
        + "Nanoseconds and bytes of garbage per message.%n%n".formatted()
        + cases
        + "Above 1 ours is better.%n%s".formatted(report.machine());
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, value < 100 ? "%.2f" : "%.0f", value);
  }
}
