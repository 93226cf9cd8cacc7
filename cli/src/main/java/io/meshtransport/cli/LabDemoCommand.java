package io.meshtransport.cli;

import io.meshtransport.topology.Fabric;
import io.meshtransport.topology.FabricException;
import io.meshtransport.topology.Topology;
import io.meshtransport.topology.lab.LabFabric;
import io.meshtransport.topology.lab.LabOptions;
import io.meshtransport.topology.lab.LabPackages;
import io.meshtransport.topology.lab.RdmaCounters;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
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
  /** A set-up in cold JVMs of emulated machines takes seconds. */
  private static final int TIMEOUT_MS = 60_000;

  // 4.3 s. A guest that waits for a processor acknowledges late; Soft-RoCE then sends all that is
  // under way again, and a cable carries much more than the messages.
  private static final String ACKNOWLEDGE_TIMEOUT = "20";

  // The second compiler takes more of an emulated processor than it gives back in a minute.
  private static final List<String> JVM_OPTIONS = List.of("-XX:TieredStopAtLevel=1");

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
    return new DemoRun(spec.commandLine(), topology, DemoPlan.LAB, new Groundwork(topology))
        .run(json, DemoRun.nodeJvm(TIMEOUT_MS, JVM_OPTIONS));
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

  private final class Groundwork implements DemoGroundwork {
    private final Topology topology;

    Groundwork(Topology topology) {
      this.topology = topology;
    }

    @Override
    public Fabric lay(DemoProgress progress) {
      try {
        var image = new LabPackages(progress::step).prepare();
        progress.step(
            "booting %d guests with kernel %s: %s"
                .formatted(topology.nodes().size(), image.kernelVersion(), topology.cables()));
        return LabFabric.boot(
            topology,
            image,
            LabOptions.STANDARD,
            Map.of("MESH_PROVIDER", provider.setting(), "MESH_IB_TIMEOUT", ACKNOWLEDGE_TIMEOUT));
      } catch (IOException e) {
        throw new FabricException("no lab: " + e.getMessage(), e);
      }
    }

    @Override
    public Optional<String> objection(Fabric fabric, DemoProgress progress) {
      RdmaCounters sum = RdmaCounters.sumOf((LabFabric) fabric);
      progress.say("RDMA counters of all NICs: " + sum + ".");
      return sum.notReady() == 0
          ? Optional.empty()
          : Optional.of("a receiver was not ready " + sum.notReady() + " times");
    }
  }
}
