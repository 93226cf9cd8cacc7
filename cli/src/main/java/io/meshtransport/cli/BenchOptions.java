// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import io.meshtransport.bench.BenchPlan;
import io.meshtransport.bench.BenchReport;
import io.meshtransport.bench.NothingToMeasureException;
import io.meshtransport.topology.NodeJvm;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/** The options of all commands that measure ours beside others, and what such a command does. */
final class BenchOptions {
  @Option(
      names = "--rounds",
      paramLabel = "N",
      description = "How often each is measured. Default: ${DEFAULT-VALUE}.")
  private int rounds = 5;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      description = "How long each is measured in each round. Default: ${DEFAULT-VALUE}.")
  private double seconds = 2;

  @Option(
      names = "--warm-up",
      paramLabel = "S",
      description =
          "Seconds that each pair of our JVMs runs before its first round, again as long as their"
              + " compilers are busy, up to a limit; 0 measures cold JVMs. Default: ${DEFAULT-VALUE}.")
  private double warmUpSeconds;

  @Option(
      names = "--only",
      paramLabel = "NAME",
      description = "Measure cases alone that have this in their name or their peer's.")
  private String only = "";

  @Option(
      names = "--setting",
      paramLabel = "MESH_NAME=VALUE",
      description = "A setting of our nodes, as in MESH_SPIN_US=100.")
  private Map<String, String> settings = Map.of();

  @Option(names = "--jvm-option", paramLabel = "OPTION", description = "For the JVM of each node.")
  private List<String> jvmOptions = List.of();

  @Option(names = "--json", paramLabel = "FILE", description = "Write the results to this file.")
  private Path json;

  private final int timeoutMs;
  private final List<String> usualJvmOptions;

  /**
   * What measures.
   *
   * @param <R> what it reports
   */
  interface Bench<R> {
    R run(BenchPlan plan, NodeJvm jvm, DemoProgress progress)
        throws IOException, InterruptedException;
  }

  /**
   * @param warmUpSeconds by default
   * @param timeoutMs MESH_TIMEOUT_MS
   * @param usualJvmOptions of nodes, besides those the user gives
   */
  BenchOptions(double warmUpSeconds, int timeoutMs, List<String> usualJvmOptions) {
    this.warmUpSeconds = warmUpSeconds;
    this.timeoutMs = timeoutMs;
    this.usualJvmOptions = usualJvmOptions;
  }

  /**
   * Measures, prints the table and writes the file. Only invalid arguments are reported as the
   * user's mistake; any other failure is reported as itself.
   *
   * @return the exit status
   */
  int run(CommandLine commandLine, Bench<BenchReport> bench)
      throws IOException, InterruptedException {
    return run(commandLine, bench, CaseTable::of);
  }

  /**
   * The same for another report.
   *
   * @param table the report as people read it
   */
  <R> int run(CommandLine commandLine, Bench<R> bench, Function<R, String> table)
      throws IOException, InterruptedException {
    BenchPlan plan = plan(commandLine);
    List<String> options = new ArrayList<>(usualJvmOptions);
    options.addAll(jvmOptions);
    NodeJvm jvm = DemoRun.nodeJvm(timeoutMs, options).with(settings);
    try (JsonFile file = JsonFile.open(json, commandLine)) {
      DemoProgress progress = new DemoProgress(commandLine.getOut());
      R report = bench.run(plan, jvm, progress);
      progress.print(System.lineSeparator() + table.apply(report));
      return file.write(report, commandLine.getErr()) ? CommandLine.ExitCode.OK : MeshMain.FAILED;
    } catch (NothingToMeasureException e) {
      throw new CommandLine.ParameterException(commandLine, e.getMessage());
    }
  }

  /** Where the results go, for what is written beside them. */
  Optional<Path> json() {
    return Optional.ofNullable(json).map(Path::toAbsolutePath);
  }

  private BenchPlan plan(CommandLine commandLine) {
    return orRefuse(commandLine, () -> new BenchPlan(rounds, seconds, warmUpSeconds, only));
  }

  /** What is made of a user's arguments, or a usage error that says what is wrong with them. */
  static <T> T orRefuse(CommandLine commandLine, Supplier<T> made) {
    try {
      return made.get();
    } catch (IllegalArgumentException e) {
      throw new CommandLine.ParameterException(commandLine, e.getMessage());
    }
  }
}
