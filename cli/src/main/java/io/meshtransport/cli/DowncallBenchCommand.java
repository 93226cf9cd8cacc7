// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import io.meshtransport.bench.Machine;
import io.meshtransport.bench.downcalls.DowncallBench;
import io.meshtransport.bench.downcalls.DowncallPlan;
import io.meshtransport.bench.downcalls.DowncallReport;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code mesh bench downcalls}: what messages cost where device and wire cost nothing. */
@Command(
    name = "downcalls",
    description = {
      "Measures by JMH what a message costs in calls and garbage, over a libibverbs that has no"
          + " device: posts and polls, channels, and requests of every kind.",
      "Through JNA and, where a Java 22 or newer is there, through java.lang.foreign."
    })
final class DowncallBenchCommand implements Callable<Integer> {
  @Option(
      names = "--forks",
      paramLabel = "N",
      defaultValue = "1",
      description = "JVMs for each benchmark. Default: ${DEFAULT-VALUE}.")
  private int forks;

  @Option(
      names = "--warm-ups",
      paramLabel = "N",
      defaultValue = "4",
      description = "Iterations of each that are not counted. Default: ${DEFAULT-VALUE}.")
  private int warmUps;

  @Option(
      names = "--iterations",
      paramLabel = "N",
      defaultValue = "5",
      description = "Iterations that are. Default: ${DEFAULT-VALUE}.")
  private int iterations;

  @Option(
      names = "--millis",
      paramLabel = "N",
      defaultValue = "1000",
      description = "How long an iteration is, in milliseconds. Default: ${DEFAULT-VALUE}.")
  private int millis;

  @Option(
      names = "--only",
      paramLabel = "REGEX",
      defaultValue = "",
      description = "Only benchmarks whose name has this in it, as in PostAndPoll.")
  private String only;

  @Option(names = "--json", paramLabel = "FILE", description = "Write the results to this file.")
  private Path json;

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    CommandLine commandLine = spec.commandLine();
    DowncallPlan plan = plan();
    try (JsonFile file = JsonFile.open(json, commandLine)) {
      DemoProgress progress = new DemoProgress(commandLine.getOut());
      DowncallReport report = new DowncallBench(plan, progress::step).run(Machine.describe());
      progress.print(System.lineSeparator() + DowncallTable.of(report));
      return file.write(report, commandLine.getErr()) ? CommandLine.ExitCode.OK : MeshMain.FAILED;
    }
  }

  private DowncallPlan plan() {
    try {
      return new DowncallPlan(forks, warmUps, iterations, millis, only);
    } catch (IllegalArgumentException e) {
      throw new CommandLine.ParameterException(spec.commandLine(), e.getMessage());
    }
  }
}
