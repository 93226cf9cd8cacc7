// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import io.meshtransport.bench.RailsBench;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code mesh bench rails}: one channel over two cables beside one over one. */
@Command(
    name = "rails",
    description =
        "Measures a channel that takes two cables (MESH_RAILS=2) beside one that takes the faster"
            + " alone: in turns, between two network namespaces whose cables are limited by tc(8).")
final class RailsBenchCommand implements Callable<Integer> {
  @Mixin private BenchOptions options = new BenchOptions(3, BenchEnvironment.TIMEOUT_MS, List.of());

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  @Override
  public Integer call() throws IOException, InterruptedException {
    return options.run(
        spec.commandLine(),
        (plan, jvm, progress) -> {
          BenchEnvironment.requireNamespaces();
          return new RailsBench(plan, jvm, progress::step).run();
        });
  }
}
