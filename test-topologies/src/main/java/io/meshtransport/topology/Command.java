// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A program of the host, run to its end: {@code ip}, mostly. Bounded in time and in output, and
 * loud when it fails.
 *
 * @param words program and arguments
 */
record Command(List<String> words) {
  /** None of the commands we run takes a tenth of this on an idle host. */
  private static final int LIMIT_SECONDS = 20;

  Command {
    words = List.copyOf(words);
  }

  static Command of(List<String> prefix, String... words) {
    List<String> all = new ArrayList<>(prefix);
    all.addAll(List.of(words));
    return new Command(all);
  }

  /**
   * Runs it.
   *
   * @return what it printed
   * @throws FabricException if it cannot be started, takes too long, or fails
   */
  String run() {
    return run("");
  }

  /** Runs it with this on its standard input. */
  String run(String input) {
    return run(input, LIMIT_SECONDS);
  }

  String run(String input, int limitSeconds) {
    try {
      Process process = new ProcessBuilder(words).redirectErrorStream(true).start();
      try (var stdin = process.getOutputStream()) {
        stdin.write(input.getBytes(StandardCharsets.UTF_8));
      }
      // Our commands print less than a pipe holds, so waiting before reading cannot block them.
      if (!process.waitFor(limitSeconds, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new FabricException(this + " was not done after " + limitSeconds + " s");
      }
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (process.exitValue() != 0) {
        throw new FabricException(
            this + " failed with " + process.exitValue() + ": " + output.strip());
      }
      return output;
    } catch (IOException e) {
      throw new FabricException(this + ": " + e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new FabricException(this + ": interrupted", e);
    }
  }

  @Override
  public String toString() {
    return '`' + String.join(" ", words) + '`';
  }
}
