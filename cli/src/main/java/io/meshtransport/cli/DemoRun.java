// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import io.meshtransport.topology.Fabric;
import io.meshtransport.topology.NodeJvm;
import io.meshtransport.topology.Topologies;
import io.meshtransport.topology.Topology;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine;

/** A demo from its command line to its verdict, in its environment. Used once, by one thread. */
final class DemoRun implements DemoEnding.Reports<DemoReport> {
  private final CommandLine commandLine;
  private final Topology topology;
  private final DemoPlan plan;
  private final DemoEnvironment environment;
  private final DemoProgress progress;

  DemoRun(CommandLine commandLine, Topology topology, DemoPlan plan, DemoEnvironment environment) {
    this.commandLine = commandLine;
    this.topology = topology;
    this.plan = plan;
    this.environment = environment;
    this.progress = new DemoProgress(commandLine.getOut());
  }

  /**
   * Runs it, and prints and writes what it shows.
   *
   * @param json none, if null
   * @return the exit status
   */
  int run(Path json, NodeJvm jvm) throws IOException {
    return new DemoEnding<>(commandLine, progress, this).of(() -> run(jvm), json);
  }

  private DemoReport run(NodeJvm jvm) {
    try (Fabric fabric = environment.create(progress)) {
      DemoReport report = new Demo(fabric, plan, progress).run(jvm);
      progress.print("%n%s%n%s".formatted(report.table(), footnote(fabric, report)));
      Optional<String> objection = environment.objection(fabric, progress);
      return report.passed() ? objection.map(report::failedAfterAll).orElse(report) : report;
    }
  }

  @Override
  public String result(DemoReport report) {
    return report.result();
  }

  @Override
  public boolean passed(DemoReport report) {
    return report.passed();
  }

  @Override
  public DemoReport failed(String why) {
    return DemoReport.failed(topology.name(), topology.nodes(), why);
  }

  @Override
  public String summary(DemoReport report) {
    return "%s over %s: %d nodes, %d channels, %d messages verified, %s"
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

  /**
   * How nodes are started: patient, and chatty if the user is.
   *
   * @param timeoutMs MESH_TIMEOUT_MS
   */
  static NodeJvm nodeJvm(int timeoutMs, List<String> options) {
    String debug = System.getenv().getOrDefault("MESH_DEBUG", "");
    boolean echo = debug.equals("1") || debug.equals("2");
    Map<String, String> settings = new HashMap<>();
    settings.put("MESH_TIMEOUT_MS", String.valueOf(timeoutMs));
    if (echo) {
      settings.put("MESH_DEBUG", debug);
    }
    return new NodeJvm(settings, options, echo);
  }

  private String footnote(Fabric fabric, DemoReport report) {
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
        + 2 * plan.allBytes()
        + " bytes, and at most 10 % and 2 KiB per message more.";
  }
}
