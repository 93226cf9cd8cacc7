// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import io.meshtransport.jgroups.demo.GroupDemo;
import io.meshtransport.jgroups.demo.GroupDemoPlan;
import io.meshtransport.jgroups.demo.GroupDemoReport;
import io.meshtransport.topology.Fabric;
import io.meshtransport.topology.NodeJvm;
import io.meshtransport.topology.Topology;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine;

/** A demo of JGroups from its command line to its verdict. Used once, by one thread. */
final class GroupDemoRun implements DemoEnding.Reports<GroupDemoReport> {
  private final CommandLine commandLine;
  private final Topology topology;
  private final GroupDemoPlan plan;
  private final DemoEnvironment environment;
  private final DemoProgress progress;

  GroupDemoRun(
      CommandLine commandLine, Topology topology, GroupDemoPlan plan, DemoEnvironment environment) {
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

  private GroupDemoReport run(NodeJvm jvm) {
    try (Fabric fabric = environment.create(progress)) {
      GroupDemoReport report = new GroupDemo(fabric, plan, jvm, progress::step).run();
      progress.print(System.lineSeparator() + GroupDemoTable.of(report));
      Optional<String> objection = environment.objection(fabric, progress);
      return report.passed() ? objection.map(report::failedAfterAll).orElse(report) : report;
    }
  }

  @Override
  public String result(GroupDemoReport report) {
    return report.result();
  }

  @Override
  public boolean passed(GroupDemoReport report) {
    return report.passed();
  }

  @Override
  public String summary(GroupDemoReport report) {
    long held = report.checks().stream().filter(GroupDemoReport.Check::decides).count();
    return "JGroups on %s over %s: %d nodes, all %d checks of MESH hold"
        .formatted(report.topology(), report.provider(), report.nodes().size(), held);
  }

  @Override
  public GroupDemoReport failed(String why) {
    return GroupDemoReport.failed(topology.name(), topology.nodes(), why);
  }
}
