// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import io.meshtransport.bench.Comparison;
import io.meshtransport.jgroups.bench.GroupBenchReport;
import io.meshtransport.jgroups.bench.StartReport;
import java.util.List;

/** A comparison as people read it. */
final class BenchTable {
  private BenchTable() {}

  static String of(GroupBenchReport report) {
    return of(report.cases(), report.plan().rounds(), report.machine());
  }

  static String of(StartReport report) {
    return of(report.cases(), report.rounds(), report.machine());
  }

  private static String of(List<Comparison> cases, int rounds, String machine) {
    TextTable table =
        new TextTable("case", "ours", "spread", "peer", "spread", "unit", "ratio", "least", "most");
    for (Comparison each : cases) {
      table.row(
          each.name(),
          Numbers.figure(Comparison.median(each.ours())),
          Numbers.percent(Comparison.spread(each.ours())),
          Numbers.figure(Comparison.median(each.peer())),
          Numbers.percent(Comparison.spread(each.peer())),
          each.unit(),
          Numbers.ratio(Comparison.median(each.ratios())),
          Numbers.ratio(Comparison.min(each.ratios())),
          Numbers.ratio(Comparison.max(each.ratios())));
    }
    return table
        + ("Medians of %d rounds, and their spread; ratios are those of each round, and above 1 ours is"
                + " better than %s.%n%s")
            .formatted(rounds, cases.get(0).peerName(), machine);
  }
}
