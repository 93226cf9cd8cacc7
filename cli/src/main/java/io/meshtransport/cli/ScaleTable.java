// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import io.meshtransport.bench.ScaleReport;

/** A report on many channels as people read it. */
final class ScaleTable {
  private ScaleTable() {}

  static String of(ScaleReport report) {
    TextTable pair =
        new TextTable(
            "channels",
            "set up/s",
            "p50 ms",
            "p99 ms",
            "sender heap",
            "buffers",
            "receiver heap",
            "buffers",
            "descriptors",
            "threads",
            "idle CPU",
            "MB/s");
    for (ScaleReport.Pair each : report.pair()) {
      pair.row(
          String.valueOf(each.channels()),
          Numbers.figure(each.setUp().connectionsPerSecond()),
          Numbers.figure(each.setUp().p50Ms()),
          Numbers.figure(each.setUp().p99Ms()),
          Numbers.figure(each.sender().heapBytes()),
          Numbers.figure(each.sender().directBytes()),
          Numbers.figure(each.receiver().heapBytes()),
          Numbers.figure(each.receiver().directBytes()),
          Numbers.figure(each.sender().descriptors()),
          String.valueOf(each.threads()),
          "%.1f%%".formatted(each.processors() * 100),
          Numbers.figure(each.megabytesPerSecond()));
    }
    TextTable meshes = new TextTable("nodes", "channels", "set up/s", "p50 ms", "p99 ms");
    for (ScaleReport.Mesh each : report.meshes()) {
      meshes.row(
          String.valueOf(each.nodes()),
          String.valueOf(each.channels()),
          Numbers.figure(each.setUp().connectionsPerSecond()),
          Numbers.figure(each.setUp().p50Ms()),
          Numbers.figure(each.setUp().p99Ms()));
    }
    return pair
        + System.lineSeparator()
        + meshes
        + ("Medians of %d rounds. Heap and buffers are bytes per idle channel, descriptors are per"
                + " channel at the sender; idle CPU is both processes' part of one processor.%n%s")
            .formatted(report.rounds(), report.machine());
  }
}
