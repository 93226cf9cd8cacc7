package io.meshtransport.topology.lab;

import io.meshtransport.topology.FabricException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A program of the host that prepares the lab, such as apt-get: run to its end, bounded in time.
 */
final class Tool {
  private final ProcessBuilder builder;
  private final Duration limit;

  Tool(Path folder, Duration limit, String... words) {
    this.builder = new ProcessBuilder(words).directory(folder.toFile()).redirectErrorStream(true);
    this.limit = limit;
    builder.environment().put("DEBIAN_FRONTEND", "noninteractive");
    // What we read of their output is in English.
    builder.environment().put("LC_ALL", "C");
  }

  /**
   * @return all it printed
   * @throws FabricException if it cannot be started, takes too long, or says no
   */
  String run() {
    try {
      Process process = builder.redirectInput(Path.of("/dev/null").toFile()).start();
      // Ends the read below too.
      var guard = process.onExit().orTimeout(limit.toMillis(), TimeUnit.MILLISECONDS);
      guard.exceptionally(
          late -> {
            process.destroyForcibly();
            return process;
          });
      String output;
      try (InputStream stream = process.getInputStream()) {
        output = new String(stream.readAllBytes(), StandardCharsets.UTF_8);
      }
      int status = process.waitFor();
      if (status != 0) {
        throw new FabricException(this + " failed with " + status + ": " + lastLines(output));
      }
      return output;
    } catch (IOException e) {
      throw new FabricException(this + ": " + e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new FabricException(this + ": interrupted", e);
    }
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
