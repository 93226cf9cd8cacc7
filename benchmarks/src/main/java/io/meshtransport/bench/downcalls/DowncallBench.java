// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench.downcalls;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * Runs the benchmarks of this package by JMH, on a Java that calls through JNA and on one that
 * calls through java.lang.foreign, each in JVMs of its own with this one's class path. One at a
 * time.
 */
public final class DowncallBench {
  private static final String PACKAGE = DowncallBench.class.getPackageName().replace(".", "\\.");
  private static final String ALLOCATED = "gc.alloc.rate.norm";

  private final DowncallPlan plan;
  private final Consumer<String> progress;

  /**
   * @param progress called with a line of text before each step
   */
  public DowncallBench(DowncallPlan plan, Consumer<String> progress) {
    this.plan = plan;
    this.progress = progress;
  }

  /**
   * @param machine what this runs on, for the report
   * @throws IOException if the library without a device cannot be compiled, or a benchmark fails
   */
  public DowncallReport run(String machine) throws IOException {
    // Two runs at once would spoil each other's figures, but that is for their users to know.
    System.setProperty("jmh.ignoreLock", "true");
    Map<String, List<DowncallResult>> figures = new LinkedHashMap<>();
    try (NullLibrary library = NullLibrary.compile()) {
      run(DowncallReport.JNA, NewerJava.findOlder(), library, figures);
      run(DowncallReport.FOREIGN, NewerJava.find(), library, figures);
    }
    return DowncallReport.of(figures, machine);
  }

  private void run(
      String binding,
      Optional<Path> home,
      NullLibrary library,
      Map<String, List<DowncallResult>> figures)
      throws IOException {
    if (home.isEmpty()) {
      progress.accept("no Java of this host and build calls through " + binding + ": left out");
      return;
    }
    progress.accept("calls through " + binding + ", " + home.get());
    try {
      Collection<RunResult> results =
          new Runner(options(binding, home.get(), library).build()).run();
      figures.put(binding, results.stream().map(DowncallBench::figure).toList());
    } catch (RunnerException e) {
      throw new IOException("a benchmark of calls through " + binding + " failed: " + cause(e), e);
    }
  }

  /** JMH wraps what happened, and keeps what happened in another JVM as suppressed. */
  private static String cause(Throwable failure) {
    Throwable last = failure;
    while (last.getCause() != null || last.getSuppressed().length > 0) {
      last = last.getCause() != null ? last.getCause() : last.getSuppressed()[0];
    }
    return last.toString();
  }

  private ChainedOptionsBuilder options(String binding, Path home, NullLibrary library) {
    ChainedOptionsBuilder options = new OptionsBuilder();
    if (NewerJava.version(home) >= NewerJava.FIRST_TO_WARN_OF_UNSAFE) {
      // Of JMH's use of it.
      options = options.jvmArgsPrepend("--sun-misc-unsafe-memory-access=allow");
    }
    return options
        .include(PACKAGE + ".*" + plan.include() + ".*")
        .jvm(home.resolve("bin/java").toString())
        .jvmArgs(
            "-Xms256m",
            "-Xmx256m",
            "-Dlog.level=warn",
            "--enable-native-access=ALL-UNNAMED",
            "-D" + NullLibrary.PROPERTY + "=" + library.file(),
            "-D" + PostAndPoll.BINDING_PROPERTY + "=" + binding)
        .forks(plan.forks())
        .warmupIterations(plan.warmUps())
        .warmupTime(TimeValue.milliseconds(plan.millis()))
        .measurementIterations(plan.iterations())
        .measurementTime(TimeValue.milliseconds(plan.millis()))
        .addProfiler(GCProfiler.class)
        .shouldFailOnError(true)
        .verbosity(VerboseMode.SILENT);
  }

  private static DowncallResult figure(RunResult result) {
    BenchmarkParams params = result.getParams();
    String name = params.getBenchmark();
    String parameters =
        params.getParamsKeys().stream()
            .sorted()
            .map(params::getParam)
            .collect(Collectors.joining(" "));
    String shortName = name.substring(name.lastIndexOf('.', name.lastIndexOf('.') - 1) + 1);
    Result<?> primary = result.getPrimaryResult();
    return new DowncallResult(
        (shortName + " " + parameters).strip(),
        primary.getScore(),
        primary.getScoreError(),
        primary.getStatistics().getMin(),
        result.getSecondaryResults().get(ALLOCATED).getScore());
  }
}
