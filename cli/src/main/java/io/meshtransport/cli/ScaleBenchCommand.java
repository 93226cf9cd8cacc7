// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import io.meshtransport.bench.ScaleBench;
import io.meshtransport.bench.ScalePlan;
import io.meshtransport.bench.ScalePlots;
import io.meshtransport.bench.ScaleReport;
import io.meshtransport.topology.NodeJvm;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code mesh bench scale}: what many channels cost. */
@Command(
    name = "scale",
    description = {
      "Measures what many channels cost, on the soft provider in network namespaces: how fast they"
          + " are set up, what an idle one takes, what all together carry; and meshes of more and"
          + " more nodes that all connect to each other at once.",
      "Plots (SVG) are written beside the JSON."
    })
final class ScaleBenchCommand implements Callable<Integer> {
  /** MESH_TIMEOUT_MS: sixteen cold JVMs on two cores all connect to each other at once. */
  private static final int TIMEOUT_MS = 60_000;

  @Option(
      names = "--channels",
      paramLabel = "N",
      split = ",",
      defaultValue = "1,10,100,1000",
      description = "Channels between two nodes. Default: ${DEFAULT-VALUE}.")
  private List<Integer> channels;

  @Option(
      names = "--nodes",
      paramLabel = "N",
      split = ",",
      defaultValue = "2,4,8,16",
      description = "Nodes that all connect to each other. Default: ${DEFAULT-VALUE}.")
  private List<Integer> nodes;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "5",
      description = "Set-ups of each number, after one that warms up. Default: ${DEFAULT-VALUE}.")
  private int rounds;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      defaultValue = "2",
      description = "How long traffic, and doing nothing, are measured. Default: ${DEFAULT-VALUE}.")
  private double seconds;

  @Option(
      names = "--setting",
      paramLabel = "MESH_NAME=VALUE",
      description = "A setting of our nodes.")
  private Map<String, String> settings = Map.of();

  @Option(names = "--jvm-option", paramLabel = "OPTION", description = "For the JVM of each node.")
  private List<String> jvmOptions = List.of();

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "Write the results to this file, and plots beside it.")
  private Path json;

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    CommandLine commandLine = spec.commandLine();
    ScalePlan plan = plan();
    try (JsonFile file = JsonFile.open(json, commandLine)) {
      BenchEnvironment.requireNamespaces();
      DemoProgress progress = new DemoProgress(commandLine.getOut());
      NodeJvm jvm = DemoRun.nodeJvm(TIMEOUT_MS, jvmOptions).with(settings);
      ScaleReport report = new ScaleBench(plan, jvm, progress::step).run();
      progress.print(System.lineSeparator() + ScaleTable.of(report));
      if (!file.write(report, commandLine.getErr())) {
        return MeshMain.FAILED;
      }
      if (json != null) {
        progress.print("Plots: " + ScalePlots.write(report, json.toAbsolutePath()));
      }
      return CommandLine.ExitCode.OK;
    }
  }

  private ScalePlan plan() {
    try {
      return new ScalePlan(channels, nodes, rounds, seconds);
    } catch (IllegalArgumentException e) {
      throw new CommandLine.ParameterException(spec.commandLine(), e.getMessage());
    }
  }
}
