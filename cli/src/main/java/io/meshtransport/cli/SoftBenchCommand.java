// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import io.meshtransport.bench.BenchPlan;
import io.meshtransport.bench.BenchReport;
import io.meshtransport.bench.PeerPrograms;
import io.meshtransport.bench.SoftBench;
import io.meshtransport.topology.Fabric;
import io.meshtransport.topology.NodeJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code mesh bench soft}: the soft provider beside what people use today. */
@Command(
    name = "soft",
    description = {
      "Measures Mesh Transport in software beside iperf3, ucx_perftest over TCP, a blocking"
          + " SocketChannel and Netty's native epoll: in turns, between two network namespaces with"
          + " one cable of MTU 9000.",
      "As root it installs the peers that are missing (Debian's iperf3 and ucx-utils)."
    })
final class SoftBenchCommand implements Callable<Integer> {
  @Mixin private BenchOptions options = new BenchOptions(3, BenchEnvironment.TIMEOUT_MS, List.of());

  @Option(
      names = "--jfr",
      paramLabel = "FOLDER",
      description =
          "Write a flight recording of our nodes in each case and round there. Recording costs a"
              + " little: compare no figures of such a run.")
  private Path recordings;

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  @Override
  public Integer call() throws IOException, InterruptedException {
    return options.run(spec.commandLine(), this::run);
  }

  private BenchReport run(BenchPlan plan, NodeJvm jvm, DemoProgress progress)
      throws IOException, InterruptedException {
    BenchEnvironment.requireNamespaces();
    if (recordings != null) {
      Files.createDirectories(recordings);
    }
    PeerPrograms programs = PeerPrograms.installed(progress::step);
    try (Fabric fabric = Fabric.namespaces(SoftBench.topology())) {
      return new SoftBench(
              fabric, plan, jvm, programs, Optional.ofNullable(recordings), progress::step)
          .run();
    }
  }
}
