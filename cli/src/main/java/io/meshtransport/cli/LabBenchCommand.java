// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import io.meshtransport.bench.BenchPlan;
import io.meshtransport.bench.BenchReport;
import io.meshtransport.bench.LabBench;
import io.meshtransport.bench.PeerPrograms;
import io.meshtransport.topology.Fabric;
import io.meshtransport.topology.NodeJvm;
import io.meshtransport.topology.Topologies;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code mesh bench lab}: the ibverbs provider beside perftest. */
@Command(
    name = "lab",
    description = {
      "Measures Mesh Transport over libibverbs beside perftest (ib_send_bw, ib_write_bw,"
          + " ib_send_lat, ib_write_lat): in turns, on one cable between two guests with"
          + " Soft-RoCE.",
      "As root it installs what is missing (the lab's packages, and Debian's perftest)."
    })
final class LabBenchCommand implements Callable<Integer> {
  /** The second compiler takes more of an emulated processor than it gives back in a minute. */
  private static final List<String> JVM_OPTIONS = List.of("-XX:TieredStopAtLevel=1");

  @Mixin
  private BenchOptions options = new BenchOptions(10, LabEnvironment.TIMEOUT_MS, JVM_OPTIONS);

  @Option(
      names = "--guest-mtu",
      paramLabel = "N",
      description =
          "MTU of the guests' interfaces in bytes, 1280 to 9000. Default: ${DEFAULT-VALUE}, with"
              + " which RDMA packets carry 4096 bytes.")
  private int mtuBytes = LabTopology.DEFAULT_MTU_BYTES;

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  @Override
  public Integer call() throws IOException, InterruptedException {
    return options.run(spec.commandLine(), this::run);
  }

  private BenchReport run(BenchPlan plan, NodeJvm jvm, DemoProgress progress)
      throws InterruptedException {
    LabEnvironment environment =
        new LabEnvironment(
            LabTopology.withMtu(Topologies.PAIR, mtuBytes, spec.commandLine()), "ibverbs");
    // Before anything is installed, and before guests boot, which takes half a minute.
    LabBench.requireAny(plan);
    PeerPrograms programs = PeerPrograms.installedForLab(progress::step);
    LabBench.requirePerftest(programs);
    try (Fabric fabric = environment.create(progress)) {
      return new LabBench(fabric, plan, jvm, programs, progress::step).run();
    }
  }
}
