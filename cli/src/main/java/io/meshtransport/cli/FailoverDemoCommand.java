// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import io.meshtransport.cli.failover.FailoverDemo;
import io.meshtransport.cli.failover.FailoverFault;
import io.meshtransport.cli.failover.FailoverPlan;
import io.meshtransport.cli.failover.FailoverReport;
import io.meshtransport.topology.Cable;
import io.meshtransport.topology.Fabric;
import io.meshtransport.topology.FabricException;
import io.meshtransport.topology.NodeJvm;
import io.meshtransport.topology.Topologies;
import io.meshtransport.topology.Topology;
import io.meshtransport.topology.lab.GuestJvm;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code mesh demo failover}: a cable is pulled under a transfer, which goes on over a relay. */
@Command(
    name = "failover",
    description = {
      "Three nodes on a triangle of cables of 1 Gb/s. a sends 1 GiB to c; the cable between them is"
          + " pulled at half, and the rest goes over b; it is plugged in again, and what is sent then takes it."
          + " Shows the gap that c has seen, and compares SHA-256 of both ends.",
      "Takes less than a minute, and needs network namespaces."
    })
final class FailoverDemoCommand implements Callable<Integer>, DemoEnding.Reports<FailoverReport> {
  private static final int RATE_MBPS = 1000;
  private static final long SEED = 1;

  private static final class Kind {
    @Option(
        names = "--silent",
        description =
            "The cable dies without a loss of carrier, which only silence tells. Its rate is not"
                + " limited. Needs gcc.")
    private boolean silent;

    @Option(
        names = "--flapping",
        description = "The cable is pulled and plugged in again 20 times in 10 s.")
    private boolean flapping;

    @Option(
        names = "--lab",
        description =
            "On three guests with Soft-RoCE, through libibverbs, and 128 MiB. Takes longer to boot.")
    private boolean lab;

    private FailoverFault fault() {
      if (silent) {
        return FailoverFault.SILENT;
      }
      return flapping ? FailoverFault.FLAPPING : FailoverFault.PULLED;
    }
  }

  @ArgGroup private Kind kind = new Kind();

  @Option(names = "--json", paramLabel = "FILE", description = "Write the results to this file.")
  private Path json;

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    DemoProgress progress = new DemoProgress(spec.commandLine().getOut());
    return new DemoEnding<>(spec.commandLine(), progress, this)
        .of(() -> kind.lab ? inLab(progress) : onHost(kind.fault(), progress), json);
  }

  private static FailoverReport onHost(FailoverFault fault, DemoProgress progress) {
    Fabric.obstacleToNamespaces()
        .ifPresent(
            why -> {
              throw new FabricException(
                  "no network namespaces here: %s. Run it as root".formatted(why.strip()));
            });
    List<Cable> cables =
        Topologies.TRIANGLE.cables().stream().map(each -> each.withRate(RATE_MBPS)).toList();
    Topology topology = new Topology("triangle", Topologies.TRIANGLE.nodes(), cables);
    progress.step("laying " + topology.cables() + ", a namespace per node");
    return run(
        unused ->
            fault == FailoverFault.SILENT
                ? Fabric.relayed(Topologies.TRIANGLE, SEED)
                : Fabric.namespaces(topology),
        FailoverPlan.HOST,
        fault,
        DemoRun.nodeJvm(DemoCommand.TIMEOUT_MS, List.of()),
        progress);
  }

  private static FailoverReport inLab(DemoProgress progress) {
    Topology guests = Topologies.TRIANGLE.withMtu(LabTopology.DEFAULT_MTU_BYTES);
    return run(
        new LabEnvironment(guests, LabDemoCommand.LabProvider.IBVERBS.setting()),
        FailoverPlan.LAB,
        FailoverFault.PULLED,
        DemoRun.nodeJvm(LabEnvironment.TIMEOUT_MS, GuestJvm.QUICK_START),
        progress);
  }

  private static FailoverReport run(
      DemoEnvironment environment,
      FailoverPlan plan,
      FailoverFault fault,
      NodeJvm jvm,
      DemoProgress progress) {
    try (Fabric fabric = environment.create(progress)) {
      FailoverReport report = new FailoverDemo(fabric, plan, fault, progress::step).run(jvm);
      Optional<String> objection = environment.objection(fabric, progress);
      return report.passed() ? objection.map(report::failedAfterAll).orElse(report) : report;
    }
  }

  @Override
  public String result(FailoverReport report) {
    return report.result();
  }

  @Override
  public boolean passed(FailoverReport report) {
    return report.passed();
  }

  @Override
  public String summary(FailoverReport report) {
    return report.summary();
  }

  @Override
  public FailoverReport failed(String why) {
    return FailoverReport.failed(why);
  }
}
