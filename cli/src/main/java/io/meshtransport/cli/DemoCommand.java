package io.meshtransport.cli;

import io.meshtransport.topology.Fabric;
import io.meshtransport.topology.FabricException;
import io.meshtransport.topology.NodeFailure;
import io.meshtransport.topology.NodeJvm;
import io.meshtransport.topology.Topologies;
import io.meshtransport.topology.Topology;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code mesh demo}: a mesh on this host, made, used, proven and taken away again. */
@Command(
    name = "demo",
    description =
        "Lays a mesh of network namespaces on this host, sends messages over every cable, checks"
            + " every byte, and proves from the interfaces' counters which way they went.")
final class DemoCommand implements Callable<Integer> {
  /** A test's topology: two cables of one node share a subnet, so a peer cannot be reached. */
  private static final String FAULTY = "same-subnet-twice";

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
    PrintWriter out = spec.commandLine().getOut();
    // The default counts as not matched.
    boolean named = spec.commandLine().getParseResult().hasMatchedOption("--topology");
    try (JsonFile file = JsonFile.open(json, spec.commandLine())) {
      DemoProgress progress = new DemoProgress(out);
      DemoInterruption interruption = new DemoInterruption(progress);
      DemoReport report = run(topology, named, progress, interruption);
      boolean written = file.write(report, spec.commandLine().getErr());
      if (!report.isInterrupted()) {
        progress.sayLast("demo: " + report.result() + (report.passed() ? summary(report) : ""));
      }
      return report.passed() && written ? CommandLine.ExitCode.OK : MeshMain.FAILED;
    }
  }

  private DemoReport run(
      Topology topology, boolean named, DemoProgress progress, DemoInterruption interruption) {
    try {
      DemoReport report = run(topology, named, progress);
      return interruption.hasHappened() ? interrupted(topology) : report;
    } catch (RuntimeException e) {
      // Whatever it is: an ending process refuses many things.
      return interruption.hasHappened() ? interrupted(topology) : failed(topology, e);
    }
  }

  /** What went wrong in the world; a mistake of ours goes on to the caller. */
  private DemoReport failed(Topology topology, RuntimeException failure) {
    if (failure instanceof NodeFailure node) {
      spec.commandLine().getOut().println(node.getMessage());
      return DemoReport.failed(topology.name(), topology.nodes(), node.headline());
    }
    if (failure instanceof FabricException) {
      return DemoReport.failed(topology.name(), topology.nodes(), failure.getMessage());
    }
    throw failure;
  }

  private static DemoReport interrupted(Topology topology) {
    return DemoReport.failed(topology.name(), topology.nodes(), DemoReport.INTERRUPTED);
  }

  private DemoReport run(Topology topology, boolean named, DemoProgress progress) {
    DemoGround ground = new DemoGround(Fabric::obstacleToNamespaces, progress);
    try (Fabric fabric = ground.lay(topology, named)) {
      DemoReport report = new Demo(fabric, progress).run(nodeJvm());
      progress.say("%n%s%n%s".formatted(report.table(), footnote(fabric, report)));
      return report;
    }
  }

  private static String summary(DemoReport report) {
    return " %s over %s: %d nodes, %d channels, %d messages verified, %s"
        .formatted(
            report.topology(),
            report.provider(),
            report.nodes().size(),
            report.channels().size(),
            report.channels().stream().mapToLong(DemoReport.Channel::messages).sum(),
            report.topology().equals(Topologies.LOOPBACK.name())
                ? "every route right; cables cannot be told apart here"
                : "no byte on a wrong cable");
  }

  private static NodeJvm nodeJvm() {
    String debug = System.getenv().getOrDefault("MESH_DEBUG", "");
    boolean echo = debug.equals("1") || debug.equals("2");
    Map<String, String> settings = new HashMap<>();
    // Three cold JVMs at once on a busy host of two cores need longer than the default's 5 s.
    settings.put("MESH_TIMEOUT_MS", "15000");
    if (echo) {
      settings.put("MESH_DEBUG", debug);
    }
    return new NodeJvm(settings, List.of(), echo);
  }

  private static String footnote(Fabric fabric, DemoReport report) {
    String measured =
        "Every byte of the messages counted was checked. Latency is half a round trip of "
            + DemoPlan.PING_BYTES
            + " bytes; MB/s (10^6) is a stream of 4 MiB messages, one direction at a time.";
    if (!fabric.hasRealCables()) {
      return measured
          + System.lineSeparator()
          + "Which cable carried what cannot be proven on loopback: all are one interface."
          + " The routes the nodes chose are right.";
    }
    return measured
        + System.lineSeparator()
        + "Interface counters: "
        + report.bytesOnWrongCable()
        + " bytes on a wrong cable. Each cable carried its pair's "
        + 2 * DemoPlan.allBytes()
        + " bytes, and at most 10 % and 2 KiB per message more.";
  }
}
