package io.meshtransport.cli;

import io.meshtransport.jgroups.bench.BenchReport;
import io.meshtransport.jgroups.bench.Comparison;
import java.util.Locale;

/** A comparison as people read it. */
final class BenchTable {
  private static final int PERCENT = 100;

  private BenchTable() {}

  static String of(BenchReport report) {
    TextTable table =
        new TextTable("case", "ours", "spread", "peer", "spread", "unit", "ratio", "least", "most");
    for (Comparison each : report.cases()) {
      table.row(
          each.name(),
          number(Comparison.median(each.ours())),
          percent(Comparison.spread(each.ours())),
          number(Comparison.median(each.peer())),
          percent(Comparison.spread(each.peer())),
          each.unit(),
          ratio(Comparison.median(each.ratios())),
          ratio(Comparison.least(each.ratios())),
          ratio(Comparison.most(each.ratios())));
    }
    return table
        + ("Medians of %d rounds, and their spread; ratios are those of each round, and above 1 ours is"
                + " better than %s.%n%s")
            .formatted(report.plan().rounds(), report.cases().get(0).peerName(), report.machine());
  }

  /** Three digits, or all of a larger number. */
  private static String number(double value) {
    return String.format(Locale.ROOT, value < 10 ? "%.2f" : value < 100 ? "%.1f" : "%.0f", value);
  }

  private static String ratio(double value) {
    return String.format(Locale.ROOT, "%.2f", value);
  }

  private static String percent(double part) {
    return String.format(Locale.ROOT, "%.0f%%", part * PERCENT);
  }
}
