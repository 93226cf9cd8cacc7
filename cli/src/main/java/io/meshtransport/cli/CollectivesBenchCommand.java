// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import io.meshtransport.bench.PeerPrograms;
import io.meshtransport.bench.collectives.CollectivesBench;
import io.meshtransport.bench.collectives.CollectivesPlots;
import io.meshtransport.bench.collectives.CollectivesReport;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code mesh bench collectives}: all-reduce beside Open MPI, and beside what cables allow. */
@Command(
    name = "collectives",
    description = {
      "Measures all-reduce of floats, 8 B to 16 MiB, on a triangle, a line of 3, a ring of 4 and a"
          + " full mesh of 4, a JVM per node in network namespaces, beside Open MPI in the same"
          + " namespaces, in turns; and 64 MiB over cables of 1 Gb/s beside the best rate that the"
          + " cables allow.",
      "Plots (SVG) are written beside the JSON. As root Open MPI is installed where it is missing."
    })
final class CollectivesBenchCommand implements Callable<Integer> {
  @Mixin
  private BenchOptions options = new BenchOptions(0.3, BenchEnvironment.TIMEOUT_MS, List.of());

  @CommandLine.Option(
      names = "--size",
      paramLabel = "BYTES",
      description = "Measure this size alone; several may be given. Default: all.")
  private List<Integer> sizes = List.of();

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  @Override
  public Integer call() throws IOException, InterruptedException {
    return options.run(
        spec.commandLine(),
        (plan, jvm, progress) -> {
          CollectivesBench bench =
              BenchOptions.orRefuse(
                  spec.commandLine(), () -> new CollectivesBench(plan, sizes, jvm, progress::step));
          BenchEnvironment.requireNamespaces();
          CollectivesReport report =
              bench.run(PeerPrograms.installedForCollectives(progress::step));
          Optional<Path> json = options.json();
          if (json.isPresent()) {
            progress.step("plots: " + CollectivesPlots.write(report, json.get()));
          }
          return report;
        },
        CollectivesTable::of);
  }
}
