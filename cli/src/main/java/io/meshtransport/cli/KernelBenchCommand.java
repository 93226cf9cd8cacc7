// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import io.meshtransport.bench.Machine;
import io.meshtransport.bench.kernels.KernelBench;
import io.meshtransport.bench.kernels.KernelPlan;
import io.meshtransport.bench.kernels.KernelReport;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code mesh bench kernels}: how fast elements are added, beside a plain loop. */
@Command(
    name = "kernels",
    description = {
      "Measures the kernels of collective operations, which fold elements in direct memory, beside"
          + " plain loops over arrays on the heap, each in turns with its own.",
      "Through blocks on the heap and, where a Java 22 or newer is there, by the Vector API."
    })
final class KernelBenchCommand implements Callable<Integer> {
  @Option(
      names = "--kib",
      paramLabel = "N",
      defaultValue = "64",
      description = "Length of each operand in KiB. Default: ${DEFAULT-VALUE}.")
  private int kib;

  @Option(
      names = "--millis",
      paramLabel = "N",
      defaultValue = "500",
      description = "How long each kernel is measured, in ms. Default: ${DEFAULT-VALUE}.")
  private int millis;

  @Option(names = "--json", paramLabel = "FILE", description = "Write the results to this file.")
  private Path json;

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    CommandLine commandLine = spec.commandLine();
    KernelPlan plan = plan();
    try (JsonFile file = JsonFile.open(json, commandLine)) {
      DemoProgress progress = new DemoProgress(commandLine.getOut());
      KernelReport report = new KernelBench(plan, progress::step).run(Machine.describe());
      progress.print(System.lineSeparator() + KernelTable.of(report));
      return file.write(report, commandLine.getErr()) ? CommandLine.ExitCode.OK : MeshMain.FAILED;
    }
  }

  private KernelPlan plan() {
    try {
      return new KernelPlan(kib, millis);
    } catch (IllegalArgumentException e) {
      throw new CommandLine.ParameterException(spec.commandLine(), e.getMessage());
    }
  }
}
