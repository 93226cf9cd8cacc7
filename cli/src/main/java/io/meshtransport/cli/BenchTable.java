package io.meshtransport.cli;

import io.meshtransport.jgroups.bench.BenchReport;
import io.meshtransport.jgroups.bench.Comparison;
import java.util.Locale;

/** A comparison as people read it. */
final class BenchTable {
  private static final int PERCENT = 100;

  private BenchTable() {}

  static String of(BenchReport report) {
    TextTable table = new TextTable("case", "ours", "spread", "peer", "spread", "unit", "ratio");
    for (Comparison each : report.cases()) {
      table.row(
          each.name(),
          number(each.ours()),
          percent(each.oursSpread()),
          number(each.peer()),
          percent(each.peerSpread()),
          each.unit(),
          "%.2f".formatted(each.ratio()));
    }
    return table
        + "Medians of %d rounds, and their spread; a ratio above 1 means that ours is better than %s.%n%s"
            .formatted(report.plan().rounds(), report.cases().get(0).peerName(), report.machine());
  }

  /** Three digits, or all of a larger number. */
  private static String number(double value) {
    return String.format(Locale.ROOT, value < 10 ? "%.2f" : value < 100 ? "%.1f" : "%.0f", value);
  }

  private static String percent(double part) {
    return String.format(Locale.ROOT, "%.0f%%", part * PERCENT);
  }
}
