// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import io.meshtransport.jgroups.demo.GroupDemoPlan;
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
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code mesh demo jgroups}: a group of three where stock JGroups has none. */
@Command(
    name = "jgroups",
    description = {
      "A group of three on a triangle of cables: first with JGroups' own TCP, which shows who"
          + " receives from whom; then over MESH, where each must receive from each over their own cable;"
          + " then with a cable that is pulled while all send; then with Infinispan over MESH, of which one member is killed and comes back.",
      "Takes some two minutes and 6 GiB of memory, and needs network namespaces."
    })
final class JGroupsDemoCommand implements Callable<Integer> {
  /** In less than a minute the second compiler takes more of a processor than it gives back. */
  private static final List<String> QUICK_START = List.of("-XX:TieredStopAtLevel=1");

  private static final class Size {
    @Option(
        names = "--quick",
        description = "Little of everything: 300 entries instead of 10,000. Less than a minute.")
    private boolean quick;

    @Option(
        names = "--lab",
        description =
            "MESH alone, on three guests with Soft-RoCE, through libibverbs; sizes fit their cables.")
    private boolean lab;
  }

  @ArgGroup private Size size = new Size();

  @Option(names = "--json", paramLabel = "FILE", description = "Write the results to this file.")
  private Path json;

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    refuseOptionsBefore();
    if (size.lab) {
      Topology guests = Topologies.TRIANGLE.withMtu(LabTopology.DEFAULT_MTU_BYTES);
      return run(
          guests,
          GroupDemoPlan.LAB,
          new LabEnvironment(guests, LabDemoCommand.LabProvider.IBVERBS.setting()),
          DemoRun.nodeJvm(LabEnvironment.TIMEOUT_MS, GuestJvm.QUICK_START));
    }
    return run(
        Topologies.TRIANGLE,
        size.quick ? GroupDemoPlan.QUICK : GroupDemoPlan.HOST,
        progress -> create(Fabric::obstacleToNamespaces, progress),
        DemoRun.nodeJvm(DemoCommand.TIMEOUT_MS, size.quick ? QUICK_START : List.of()));
  }

  /** {@code mesh demo --json FILE jgroups} would write nothing. */
  private void refuseOptionsBefore() {
    spec.commandLine().getParent().getParseResult().matchedOptions().stream()
        .findFirst()
        .ifPresent(
            option -> {
              throw new CommandLine.ParameterException(
                  spec.commandLine(), option.longestName() + " goes behind jgroups, if it has it");
            });
  }

  private int run(Topology topology, GroupDemoPlan plan, DemoEnvironment environment, NodeJvm jvm)
      throws IOException {
    return new GroupDemoRun(spec.commandLine(), topology, plan, environment).run(json, jvm);
  }

  /** On loopback all members would be reachable for all, and stock TCP would work. */
  static Fabric create(Supplier<Optional<String>> obstacleToNamespaces, DemoProgress progress) {
    obstacleToNamespaces
        .get()
        .ifPresent(
            why -> {
              throw new FabricException(
                  "no network namespaces here: %s. Run it as root".formatted(why.strip()));
            });
    return new DemoFabricChoice(Optional::empty, progress).create(Topologies.TRIANGLE, true);
  }
}
