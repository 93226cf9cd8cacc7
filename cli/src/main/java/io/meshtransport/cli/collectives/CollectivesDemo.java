// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli.collectives;

import io.meshtransport.bench.collectives.CableBound;
import io.meshtransport.bench.collectives.CollectiveNodes;
import io.meshtransport.bench.collectives.Sizes;
import io.meshtransport.topology.Fabric;
import io.meshtransport.topology.NodeJvm;
import io.meshtransport.topology.Topology;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;

/**
 * A group on a graph: its cables, how it all-reduces over them, every operation checked at every
 * rank, and how fast one is. One thread; the fabric stays the caller's.
 */
public final class CollectivesDemo {
  private static final int BYTES = 16 << 20;
  private static final double SECONDS = 2;
  private static final double MICROS_PER_MILLI = 1e3;

  private final Fabric fabric;
  private final Consumer<String> step;
  private final Consumer<String> print;

  /**
   * @param step told what happens next, for people
   * @param print given whole texts, for people
   */
  public CollectivesDemo(Fabric fabric, Consumer<String> step, Consumer<String> print) {
    this.fabric = fabric;
    this.step = step;
    this.print = print;
  }

  /** Runs it, with a JVM per node. */
  public CollectivesDemoReport run(NodeJvm jvm) {
    Topology topology = fabric.topology();
    step.accept(
        "%d nodes, a JVM each, join a group; it has these cables:"
            .formatted(topology.nodes().size()));
    print.accept(new GraphPicture(topology).toString());
    try (CollectiveNodes nodes = CollectiveNodes.join(fabric, jvm, BYTES)) {
      print.accept(nodes.description().indent(4).stripTrailing());
      step.accept(
          "all-reduce of %s: each tree has a share, which becomes sums on its way up and goes down"
              .formatted(Sizes.text(BYTES)));
      print.accept(new TreePicture(topology.nodes(), nodes.plan(BYTES)).toString());
      Map<String, String> operations = nodes.check();
      step.accept(
          "%d operations have run, and their results were compared at every rank"
              .formatted(operations.size() - 1));
      double micros = nodes.microseconds(BYTES, SECONDS);
      CollectivesDemoReport report = report(operations, micros);
      step.accept(speed(report));
      return report;
    }
  }

  private CollectivesDemoReport report(Map<String, String> operations, double micros) {
    Topology topology = fabric.topology();
    return new CollectivesDemoReport(
        CollectivesDemoReport.verdict(operations),
        topology.name(),
        topology.nodes().size(),
        operations,
        BYTES,
        micros / MICROS_PER_MILLI,
        // Bytes in a microsecond are millions of bytes in a second.
        BYTES / micros,
        CableBound.megabytesPerSecond(topology).orElse(0));
  }

  private static String speed(CollectivesDemoReport report) {
    String took =
        String.format(
            Locale.ROOT,
            "all-reduce of %s took %.1f ms, the mean of many: %.0f MB/s",
            Sizes.text(report.bytes()),
            report.milliseconds(),
            report.megabytesPerSecond());
    return report.boundMegabytesPerSecond() > 0
        ? took
            + String.format(
                Locale.ROOT, "; the cables allow %.1f", report.boundMegabytesPerSecond())
        : took;
  }
}
