// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import io.meshtransport.bench.collectives.CollectiveGraph;
import io.meshtransport.cli.collectives.CollectivesDemo;
import io.meshtransport.cli.collectives.CollectivesDemoReport;
import io.meshtransport.topology.Fabric;
import io.meshtransport.topology.Topology;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code mesh demo collectives}: a group, how it reduces over its cables, and how fast. */
@Command(
    name = "collectives",
    description = {
      "Nodes with cables of 1 Gb/s join a group. Draws the cables and explains the plan, runs every"
          + " operation and compares the results at every rank, and times an all-reduce of 16 MiB"
          + " beside the best rate that the cables allow.",
      "Takes half a minute. Where network namespaces are forbidden it runs on loopback addresses,"
          + " whose rate has no limit."
    })
final class CollectivesDemoCommand
    implements Callable<Integer>, DemoEnding.Reports<CollectivesDemoReport> {
  private static final int RATE_MBPS = 1000;

  @Option(
      names = "--graph",
      paramLabel = "GRAPH",
      description = "${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}.")
  private CollectiveGraph graph = CollectiveGraph.TRIANGLE;

  @Option(names = "--loopback", description = "On loopback addresses, which needs no root.")
  private boolean loopback;

  @Option(names = "--json", paramLabel = "FILE", description = "Write the results to this file.")
  private Path json;

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    DemoProgress progress = new DemoProgress(spec.commandLine().getOut());
    return new DemoEnding<>(spec.commandLine(), progress, this).of(() -> run(progress), json);
  }

  private CollectivesDemoReport run(DemoProgress progress) {
    try (Fabric fabric = fabric(progress)) {
      return new CollectivesDemo(fabric, progress::step, progress::print)
          .run(DemoRun.nodeJvm(DemoCommand.TIMEOUT_MS, List.of()));
    }
  }

  private Fabric fabric(DemoProgress progress) {
    Topology limited = graph.limited(RATE_MBPS, RATE_MBPS);
    Optional<String> obstacle = loopback ? Optional.empty() : Fabric.obstacleToNamespaces();
    obstacle.ifPresent(
        why -> progress.step("no network namespaces here, so loopback: " + why.strip()));
    if (loopback || obstacle.isPresent()) {
      return Fabric.loopback(graph.unlimited());
    }
    progress.step("laying " + limited.cables() + ", a namespace per node");
    return Fabric.namespaces(limited);
  }

  @Override
  public String result(CollectivesDemoReport report) {
    return report.result();
  }

  @Override
  public boolean passed(CollectivesDemoReport report) {
    return report.passed();
  }

  @Override
  public String summary(CollectivesDemoReport report) {
    return report.summary();
  }

  @Override
  public CollectivesDemoReport failed(String why) {
    return CollectivesDemoReport.failed(graph.label(), why);
  }
}
