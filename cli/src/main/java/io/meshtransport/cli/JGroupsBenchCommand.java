// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import io.meshtransport.jgroups.bench.BenchCases;
import io.meshtransport.jgroups.bench.BenchTuning;
import io.meshtransport.jgroups.bench.GroupBenchPlan;
import io.meshtransport.jgroups.bench.GroupBenchReport;
import io.meshtransport.jgroups.bench.JGroupsBench;
import io.meshtransport.jgroups.bench.PerfKind;
import io.meshtransport.jgroups.bench.Side;
import io.meshtransport.topology.Fabric;
import io.meshtransport.topology.NodeJvm;
import io.meshtransport.topology.Topologies;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code mesh bench jgroups}: JGroups' own measuring programs over MESH and over stock TCP. */
@Command(
    name = "jgroups",
    description = {
      "Runs UPerf and MPerf, which come with JGroups, over MESH and over stock TCP: three members"
          + " on a triangle of network namespaces, in turns, fresh JVMs each time.",
      "Stock TCP gets the best it can have on a mesh: an address of its own on lo at each node, and"
          + " host routes over the right cables."
    })
final class JGroupsBenchCommand implements Callable<Integer> {
  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "5",
      description = "How often each side is measured. Default: ${DEFAULT-VALUE}.")
  private int rounds;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      defaultValue = "5",
      description = "How long each case is measured in each round. Default: ${DEFAULT-VALUE}.")
  private int seconds;

  @Option(
      names = "--warm-up",
      paramLabel = "N",
      defaultValue = "5",
      description = "Seconds that each case runs before that. Default: ${DEFAULT-VALUE}.")
  private int warmUpSeconds;

  @Option(
      names = "--warm-ups",
      paramLabel = "N",
      defaultValue = "20",
      description =
          "How often at most: once more as long as compilers take a fiftieth of the processors."
              + " Default: ${DEFAULT-VALUE}.")
  private int warmUps;

  @Option(
      names = "--threads",
      paramLabel = "N",
      defaultValue = "10",
      description = "Threads of each member that send. Default: ${DEFAULT-VALUE}.")
  private int threads;

  @Option(
      names = "--reads",
      paramLabel = "PERCENT",
      defaultValue = "80",
      description = "How many of UPerf's calls read; the others write. Default: ${DEFAULT-VALUE}.")
  private int readPercentage;

  @Option(
      names = "--bytes",
      paramLabel = "N",
      split = ",",
      defaultValue = "1024,65536",
      description = "Payloads of messages. Default: ${DEFAULT-VALUE}.")
  private List<Integer> messageBytes;

  @Option(
      names = "--programs",
      paramLabel = "NAME",
      split = ",",
      defaultValue = "uperf,mperf",
      description = "Which of them run. Default: ${DEFAULT-VALUE}.")
  private List<PerfKind> programs;

  @Option(
      names = "--mesh",
      paramLabel = "ATTRIBUTE=VALUE",
      description = "An attribute of MESH, besides those of the bench or in place of one.")
  private Map<String, String> mesh = Map.of();

  @Option(names = "--stock", paramLabel = "ATTRIBUTE=VALUE", description = "The same of stock TCP.")
  private Map<String, String> stock = Map.of();

  @Option(
      names = "--setting",
      paramLabel = "MESH_NAME=VALUE",
      description = "A setting of all members, as in MESH_SPIN_US=0.")
  private Map<String, String> settings = Map.of();

  @Option(
      names = "--jvm-option",
      paramLabel = "OPTION",
      description = "For the JVM of each member, on both sides.")
  private List<String> jvmOptions = List.of();

  @Option(
      names = "--jfr",
      paramLabel = "FOLDER",
      description =
          "Write a flight recording of each member in each case there: what it does while it is"
              + " measured.")
  private Path recordings;

  @Option(
      names = "--control",
      description = "Measure stock TCP against itself: what differs then is chance.")
  private boolean isControl;

  @Option(
      names = "--least",
      description =
          "Measure in place of MESH the least that does what it must, over plain sockets: one thread"
              + " that reads, an acknowledgement of each bundle.")
  private boolean isLeast;

  @Option(names = "--json", paramLabel = "FILE", description = "Write the results to this file.")
  private Path json;

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    CommandLine commandLine = spec.commandLine();
    GroupBenchPlan plan = plan();
    try (JsonFile file = JsonFile.open(json, commandLine)) {
      BenchEnvironment.requireNamespaces();
      DemoProgress progress = new DemoProgress(commandLine.getOut());
      GroupBenchReport report = run(plan, progress);
      progress.print(System.lineSeparator() + BenchTable.of(report));
      return file.write(report, commandLine.getErr()) ? CommandLine.ExitCode.OK : MeshMain.FAILED;
    }
  }

  private GroupBenchPlan plan() {
    try {
      return new GroupBenchPlan(
          rounds,
          seconds,
          warmUpSeconds,
          warmUps,
          new BenchCases(programs, messageBytes, threads, readPercentage),
          new BenchTuning(mesh, stock),
          ours());
    } catch (IllegalArgumentException e) {
      throw new CommandLine.ParameterException(spec.commandLine(), e.getMessage());
    }
  }

  private Side ours() {
    if (isControl && isLeast) {
      throw new IllegalArgumentException("--control and --least exclude each other");
    }
    return isControl ? Side.STOCK : isLeast ? Side.ACKNOWLEDGED : Side.MESH;
  }

  private GroupBenchReport run(GroupBenchPlan plan, DemoProgress progress) {
    NodeJvm jvm = DemoRun.nodeJvm(BenchEnvironment.TIMEOUT_MS, jvmOptions).with(settings);
    try (Fabric fabric = Fabric.namespaces(Topologies.TRIANGLE)) {
      return new JGroupsBench(fabric, plan, jvm, Optional.ofNullable(recordings), progress::step)
          .run();
    }
  }
}
