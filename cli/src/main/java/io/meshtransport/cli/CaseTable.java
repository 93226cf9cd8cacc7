// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import io.meshtransport.bench.BenchReport;
import io.meshtransport.bench.Comparison;

/** A report of cases as people read it. */
final class CaseTable {
  private CaseTable() {}

  static String of(BenchReport report) {
    TextTable table =
        new TextTable(
            "case", "ours", "spread", "peer", "spread", "unit", "ratio", "least", "most", "beside");
    for (BenchReport.Case each : report.cases()) {
      table.row(
          each.name(),
          Numbers.figure(each.ours()),
          Numbers.percent(Comparison.spread(each.oursOfRounds())),
          Numbers.figure(each.peer()),
          Numbers.percent(Comparison.spread(each.peerOfRounds())),
          each.unit(),
          Numbers.ratio(each.ratio()),
          Numbers.ratio(Comparison.min(each.ratios())),
          Numbers.ratio(Comparison.max(each.ratios())),
          each.peerName());
    }
    StringBuilder text = new StringBuilder(table.toString());
    text.append(
        ("Medians of %d rounds, and their spread; ratios are those of each round, and above 1 ours"
                + " is better.%n%s")
            .formatted(report.rounds(), report.machine()));
    report
        .skipped()
        .forEach(each -> text.append(System.lineSeparator()).append("Skipped: ").append(each));
    return text.toString();
  }
}
