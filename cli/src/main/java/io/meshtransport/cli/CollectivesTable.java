// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import io.meshtransport.bench.Comparison;
import io.meshtransport.bench.collectives.CollectivesReport;
import io.meshtransport.bench.collectives.CollectivesReport.Graph;
import io.meshtransport.bench.collectives.CollectivesReport.Size;
import io.meshtransport.bench.collectives.Sizes;

/** A report on collective operations as people read it. */
final class CollectivesTable {
  private static final String NONE = "-";

  private CollectivesTable() {}

  static String of(CollectivesReport report) {
    TextTable table =
        new TextTable(
            "graph",
            "size",
            "ours us",
            "spread",
            "Open MPI us",
            "spread",
            "ratio",
            "least",
            "most",
            "MB/s",
            "of bound");
    report.graphs().forEach(graph -> graph.sizes().forEach(size -> row(table, graph, size)));
    StringBuilder text = new StringBuilder(table.toString());
    text.append(
        ("Means of many all-reduces of floats, the median of %d rounds, and their spread; ratios"
                + " are those of each round, and above 1 ours is faster.%nMB/s (10^6) are what each"
                + " rank reduces; the bound is the best rate that the cables allow.%n%s")
            .formatted(report.rounds(), report.machine()));
    report
        .skipped()
        .forEach(each -> text.append(System.lineSeparator()).append("Skipped: ").append(each));
    return text.toString();
  }

  private static void row(TextTable table, Graph graph, Size size) {
    boolean hasPeer = !size.ratios().isEmpty();
    table.row(
        graph.name(),
        Sizes.text(size.bytes()),
        Numbers.figure(size.ours()),
        Numbers.percent(Comparison.spread(size.oursOfRounds())),
        hasPeer ? Numbers.figure(size.peer()) : NONE,
        hasPeer ? Numbers.percent(Comparison.spread(size.peerOfRounds())) : NONE,
        hasPeer ? Numbers.ratio(size.ratio()) : NONE,
        hasPeer ? Numbers.ratio(Comparison.min(size.ratios())) : NONE,
        hasPeer ? Numbers.ratio(Comparison.max(size.ratios())) : NONE,
        Numbers.figure(size.megabytesPerSecond()),
        graph.boundMegabytesPerSecond() > 0 ? Numbers.ratio(size.boundShare()) : NONE);
  }
}
