// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology.lab;

import io.meshtransport.topology.FabricException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A program of the host that prepares the lab, such as apt-get: run to its end, bounded in time.
 */
final class HostProgram {
  private final ProcessBuilder builder;
  private final Duration limit;

  HostProgram(Path folder, Duration limit, String... words) {
    this.builder = new ProcessBuilder(words).directory(folder.toFile()).redirectErrorStream(true);
    this.limit = limit;
    builder.environment().put("DEBIAN_FRONTEND", "noninteractive");
    // What we read of their output is in English.
    builder.environment().put("LC_ALL", "C");
  }

  /**
   * @return all it printed
   * @throws FabricException if it cannot be started, takes too long, or fails
   */
  String run() {
    try {
      // A pipe would stay open for as long as a child of the program likes; a file has an end.
      Path said = Files.createTempFile("mesh-lab-tool-", ".out");
      try {
        return run(said);
      } finally {
        Files.deleteIfExists(said);
      }
    } catch (IOException e) {
      throw new FabricException(this + ": " + e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new FabricException(this + ": interrupted", e);
    }
  }

  private String run(Path said) throws IOException, InterruptedException {
    Process process =
        builder.redirectInput(Path.of("/dev/null").toFile()).redirectOutput(said.toFile()).start();
    boolean ended = false;
    try {
      ended = process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
    } finally {
      if (!ended) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
      }
    }
    String output = new String(Files.readAllBytes(said), StandardCharsets.UTF_8);
    if (!ended) {
      throw new FabricException(
          this + " was not done after " + limit.toSeconds() + " s: " + lastLines(output));
    }
    if (process.exitValue() != 0) {
      throw new FabricException(
          this + " failed with " + process.exitValue() + ": " + lastLines(output));
    }
    return output;
  }

  private static String lastLines(String output) {
    List<String> lines = output.strip().lines().toList();
    return String.join("; ", lines.subList(Math.max(0, lines.size() - 5), lines.size()));
  }

  @Override
  public String toString() {
    return '`' + String.join(" ", builder.command()) + '`';
  }
}
