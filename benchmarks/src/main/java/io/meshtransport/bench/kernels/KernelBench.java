// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench.kernels;

import io.meshtransport.bench.downcalls.NewerJava;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Measures the kernels on each kind of Java that the host has, in a JVM of its own with this one's
 * class path: one older than 22, through blocks on the heap, and one from 22 on, by the Vector API.
 * One at a time.
 */
public final class KernelBench {
  private static final int LIMIT_MINUTES = 10;

  private final KernelPlan plan;
  private final Consumer<String> progress;

  /**
   * @param progress called with a line of text before each step
   */
  public KernelBench(KernelPlan plan, Consumer<String> progress) {
    this.plan = plan;
    this.progress = progress;
  }

  /**
   * @param machine what this runs on, for the report
   * @throws IOException if a JVM cannot be started or fails
   */
  public KernelReport run(String machine) throws IOException {
    List<KernelFigure> figures = new ArrayList<>();
    run("blocks through the heap", NewerJava.findOlder(), List.of(), figures);
    run(
        "the Vector API",
        NewerJava.find(),
        List.of("--add-modules", "jdk.incubator.vector"),
        figures);
    return new KernelReport(plan.kib(), figures, machine);
  }

  private void run(
      String way, Optional<Path> home, List<String> options, List<KernelFigure> figures)
      throws IOException {
    if (home.isEmpty()) {
      progress.accept("no Java of this host and build folds by " + way + ": left out");
      return;
    }
    progress.accept(way + ", " + home.get());
    List<String> words = new ArrayList<>(List.of(home.get().resolve("bin/java").toString()));
    words.add("-Xmx1g");
    words.add("-XX:MaxDirectMemorySize=1g");
    words.addAll(options);
    words.addAll(List.of("-cp", System.getProperty("java.class.path")));
    words.add(KernelMain.class.getName());
    words.addAll(List.of(Integer.toString(plan.kib()), Integer.toString(plan.millis())));
    collect(new ProcessBuilder(words).redirectError(ProcessBuilder.Redirect.INHERIT), figures);
  }

  private static void collect(ProcessBuilder builder, List<KernelFigure> figures)
      throws IOException {
    Process process = builder.start();
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      lines.lines().map(KernelFigure::parse).forEach(figures::add);
      if (!process.waitFor(LIMIT_MINUTES, TimeUnit.MINUTES) || process.exitValue() != 0) {
        throw new IOException("the JVM that measures kernels failed; its words are above");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while kernels were measured", e);
    } finally {
      process.destroy();
    }
  }
}
