// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import io.meshtransport.topology.Topology;
import io.meshtransport.topology.lab.GuestJvm;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code mesh lab demo}: what {@code mesh demo} shows, over real RDMA verbs. */
@Command(
    name = "demo",
    description =
        "The demo on a mesh of guests with Soft-RoCE: a kernel per node, libibverbs, RoCE packets on"
            + " every cable. Fails too if a receiver was ever not ready (RNR).")
final class LabDemoCommand implements Callable<Integer> {
  @Mixin private LabTopology topologyOption = LabTopology.byDefault("triangle");

  @Option(names = "--json", paramLabel = "FILE", description = "Write the results to this file.")
  private Path json;

  @Option(
      names = "--provider",
      paramLabel = "NAME",
      defaultValue = "ibverbs",
      description =
          "ibverbs, or soft to run the same guests over TCP for comparison."
              + " Default: ${DEFAULT-VALUE}.")
  private LabProvider provider;

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    Topology topology = topologyOption.topology(spec.commandLine());
    LabEnvironment ground = new LabEnvironment(topology, provider.setting());
    return new DemoRun(spec.commandLine(), topology, DemoPlan.LAB, ground)
        .run(json, DemoRun.nodeJvm(LabEnvironment.TIMEOUT_MS, GuestJvm.QUICK_START));
  }

  /** What drives the guests' NICs. */
  enum LabProvider {
    IBVERBS,
    SOFT;

    /** As MESH_PROVIDER has it. */
    String setting() {
      return name().toLowerCase(Locale.ROOT);
    }
  }
}
