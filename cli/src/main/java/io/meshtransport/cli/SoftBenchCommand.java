package io.meshtransport.cli;

import io.meshtransport.bench.BenchReport;
import io.meshtransport.bench.PeerPrograms;
import io.meshtransport.bench.SoftBench;
import io.meshtransport.bench.SoftPlan;
import io.meshtransport.topology.Fabric;
import io.meshtransport.topology.NodeJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code mesh bench soft}: the soft provider beside what people use today. */
@Command(
    name = "soft",
    description = {
      "Measures Mesh Transport in software beside iperf3, ucx_perftest over TCP, a blocking"
          + " SocketChannel and Netty's native epoll: in turns, between two network namespaces with"
          + " one cable of MTU 9000.",
      "As root it installs the peers that are missing (Debian's iperf3 and ucx-utils)."
    })
final class SoftBenchCommand implements Callable<Integer> {
  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "5",
      description = "How often each is measured. Default: ${DEFAULT-VALUE}.")
  private int rounds;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      defaultValue = "2",
      description = "How long each is measured in each round. Default: ${DEFAULT-VALUE}.")
  private double seconds;

  @Option(
      names = "--warm-up",
      paramLabel = "S",
      defaultValue = "3",
      description =
          "Seconds that each pair of our JVMs runs before its first round. Default:"
              + " ${DEFAULT-VALUE}.")
  private double warmUpSeconds;

  @Option(
      names = "--only",
      paramLabel = "NAME",
      defaultValue = "",
      description = "Measure cases alone that have this in their name or their peer's.")
  private String only;

  @Option(
      names = "--setting",
      paramLabel = "MESH_NAME=VALUE",
      description = "A setting of our nodes, as in MESH_SPIN_US=100.")
  private Map<String, String> settings = Map.of();

  @Option(names = "--jvm-option", paramLabel = "OPTION", description = "For the JVM of each node.")
  private List<String> jvmOptions = List.of();

  @Option(
      names = "--jfr",
      paramLabel = "FOLDER",
      description = "Write a flight recording of our nodes in each case and round there.")
  private Path recordings;

  @Option(names = "--json", paramLabel = "FILE", description = "Write the results to this file.")
  private Path json;

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  @Override
  public Integer call() throws IOException, InterruptedException {
    CommandLine commandLine = spec.commandLine();
    SoftPlan plan = plan();
    try (JsonFile file = JsonFile.open(json, commandLine)) {
      BenchGround.requireNamespaces();
      if (recordings != null) {
        Files.createDirectories(recordings);
      }
      DemoProgress progress = new DemoProgress(commandLine.getOut());
      BenchReport report = run(plan, progress);
      progress.say(System.lineSeparator() + CaseTable.of(report));
      return file.write(report, commandLine.getErr()) ? CommandLine.ExitCode.OK : MeshMain.FAILED;
    }
  }

  private SoftPlan plan() {
    try {
      return new SoftPlan(rounds, seconds, warmUpSeconds, only);
    } catch (IllegalArgumentException e) {
      throw new CommandLine.ParameterException(spec.commandLine(), e.getMessage());
    }
  }

  private BenchReport run(SoftPlan plan, DemoProgress progress) throws InterruptedException {
    PeerPrograms programs = PeerPrograms.installed(progress::step);
    NodeJvm jvm = DemoRun.nodeJvm(BenchGround.TIMEOUT_MS, jvmOptions).with(settings);
    try (Fabric fabric = Fabric.namespaces(SoftBench.topology())) {
      return new SoftBench(
              fabric, plan, jvm, programs, Optional.ofNullable(recordings), progress::step)
          .run();
    } catch (IllegalArgumentException e) {
      throw new CommandLine.ParameterException(spec.commandLine(), e.getMessage());
    }
  }
}
