// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import io.meshtransport.topology.Fabric;
import io.meshtransport.topology.Topologies;
import io.meshtransport.topology.Topology;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code mesh demo}: a mesh on this host, made, used, proven and taken away again. */
@Command(
    name = "demo",
    description =
        "Lays a mesh of network namespaces on this host, sends messages over every cable, checks"
            + " every byte, and proves from the interfaces' counters which way they went.",
    commandListHeading = "%nCommands:%n",
    subcommands = {
      JGroupsDemoCommand.class,
      MeshDemoCommand.class,
      FailoverDemoCommand.class,
      CollectivesDemoCommand.class,
      JlamaDemoCommand.class
    })
final class DemoCommand implements Callable<Integer> {
  /** A test's topology: two cables of one node share a subnet, so a peer cannot be reached. */
  private static final String FAULTY = "same-subnet-twice";

  // Three cold JVMs at once on a busy host of two cores need longer than the default's 5 s.
  static final int TIMEOUT_MS = 15_000;

  @Option(
      names = "--topology",
      paramLabel = "NAME",
      defaultValue = "triangle",
      completionCandidates = Names.class,
      description =
          "Which mesh: ${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}."
              + " Cabled wrongly on purpose, so it fails: "
              + FAULTY
              + ".")
  private String topologyName;

  @Option(names = "--json", paramLabel = "FILE", description = "Write the results to this file.")
  private Path json;

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  /** The topologies a demo should pass on. */
  static final class Names implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
      return Topologies.all().stream()
          .map(Topology::name)
          .filter(name -> !name.equals(FAULTY))
          .iterator();
    }
  }

  @Override
  public Integer call() throws IOException {
    Topology topology =
        Topologies.named(topologyName)
            .orElseThrow(
                () ->
                    new CommandLine.ParameterException(
                        spec.commandLine(),
                        "no topology '"
                            + topologyName
                            + "'; there are "
                            + String.join(", ", new Names())));
    // The default counts as not matched.
    boolean named = spec.commandLine().getParseResult().hasMatchedOption("--topology");
    DemoEnvironment environment =
        progress ->
            new DemoFabricChoice(Fabric::obstacleToNamespaces, progress).create(topology, named);
    return new DemoRun(spec.commandLine(), topology, DemoPlan.HOST, environment)
        .run(json, DemoRun.nodeJvm(TIMEOUT_MS, List.of()));
  }
}
