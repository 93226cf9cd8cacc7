// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import io.meshtransport.jgroups.bench.StartBench;
import io.meshtransport.jgroups.bench.StartReport;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code mesh bench start}: what members of JGroups cost to start. */
@Command(
    name = "start",
    description = {
      "Starts members of a group in one JVM over MESH, and over stock TCP: processor time until each"
          + " sees all of them, in turns, fresh JVMs each time.",
      "On loopback addresses of this host; needs no root."
    })
final class StartBenchCommand implements Callable<Integer> {
  @Option(
      names = "--members",
      paramLabel = "N",
      defaultValue = "10",
      description = "How many members. Default: ${DEFAULT-VALUE}.")
  private int members;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "5",
      description = "How often each side is measured. Default: ${DEFAULT-VALUE}.")
  private int rounds;

  @Option(names = "--json", paramLabel = "FILE", description = "Write the results to this file.")
  private Path json;

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  @Override
  public Integer call() throws IOException, InterruptedException {
    CommandLine commandLine = spec.commandLine();
    DemoProgress progress = new DemoProgress(commandLine.getOut());
    StartBench bench = bench(progress);
    try (JsonFile file = JsonFile.open(json, commandLine)) {
      StartReport report = bench.run();
      progress.print(System.lineSeparator() + BenchTable.of(report));
      return file.write(report, commandLine.getErr()) ? CommandLine.ExitCode.OK : MeshMain.FAILED;
    }
  }

  private StartBench bench(DemoProgress progress) {
    try {
      return new StartBench(members, rounds, progress::step);
    } catch (IllegalArgumentException e) {
      throw new CommandLine.ParameterException(spec.commandLine(), e.getMessage());
    }
  }
}
