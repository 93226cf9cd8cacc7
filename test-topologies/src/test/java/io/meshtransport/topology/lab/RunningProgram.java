// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology.lab;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/**
 * A program in a guest that is to end by itself, and what it prints, errors included. Closing it
 * kills it if it still runs. One thread.
 */
final class RunningProgram implements AutoCloseable {
  private final String node;
  private final Process process;
  private final CompletableFuture<String> output;

  private RunningProgram(String node, Process process) {
    this.node = node;
    this.process = process;
    this.output =
        CompletableFuture.supplyAsync(
            this::readAll, reader -> new Thread(reader, "output-of-" + node).start());
  }

  /**
   * @param settings its MESH_ settings, all of them
   */
  static RunningProgram start(
      LabFabric fabric, String node, List<String> words, Map<String, String> settings)
      throws IOException {
    ProcessBuilder builder = new ProcessBuilder(words).redirectErrorStream(true);
    builder.environment().keySet().removeIf(name -> name.startsWith("MESH_"));
    builder.environment().putAll(settings);
    Process process = fabric.start(node, builder);
    process.getOutputStream().close();
    return new RunningProgram(node, process);
  }

  private String readAll() {
    try {
      return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Waits until all have ended, or one has failed, or the time is over; kills those that still run.
   */
  static void awaitAll(Duration limit, List<RunningProgram> programs)
      throws InterruptedException, ExecutionException {
    CompletableFuture<Process> failed = new CompletableFuture<>();
    Stream<CompletableFuture<Process>> exits = programs.stream().map(each -> each.process.onExit());
    CompletableFuture<?>[] ends =
        exits
            .map(
                exit ->
                    exit.whenComplete(
                        (process, lost) -> {
                          if (process.exitValue() != 0) {
                            failed.complete(process);
                          }
                        }))
            .toArray(CompletableFuture<?>[]::new);
    try {
      CompletableFuture.anyOf(CompletableFuture.allOf(ends), failed)
          .get(limit.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      System.out.println("still running after " + limit);
    }
    programs.forEach(RunningProgram::close);
    for (RunningProgram each : programs) {
      each.process.waitFor();
    }
  }

  /** Exit status, once it has ended; 137 if it was killed. */
  int status() {
    return process.exitValue();
  }

  /** All that it printed, once it has ended. */
  String output() {
    return output.join();
  }

  @Override
  public void close() {
    if (process.isAlive()) {
      process.destroyForcibly();
    }
  }

  @Override
  public String toString() {
    return node + " ended with " + status() + ":\n" + output();
  }
}
