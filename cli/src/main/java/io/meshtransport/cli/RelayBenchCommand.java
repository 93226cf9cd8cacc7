// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import io.meshtransport.bench.PeerPrograms;
import io.meshtransport.bench.RelayBench;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code mesh bench relay}: a channel over nodes between its ends beside one over a cable. */
@Command(
    name = "relay",
    description =
        "Measures a channel that goes over one node or three beside one over a cable, and beside"
            + " iperf3 over the kernels of the same nodes: in turns, between network namespaces, with"
            + " cables of 1 Gb/s and without a limit.")
final class RelayBenchCommand implements Callable<Integer> {
  @Mixin private BenchOptions options = new BenchOptions(3, BenchEnvironment.TIMEOUT_MS, List.of());

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  @Override
  public Integer call() throws IOException, InterruptedException {
    return options.run(
        spec.commandLine(),
        (plan, jvm, progress) -> {
          BenchEnvironment.requireNamespaces();
          PeerPrograms programs = PeerPrograms.installedForRelay(progress::step);
          return new RelayBench(plan, programs, jvm, progress::step).run();
        });
  }
}
