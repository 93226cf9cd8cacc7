// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench.collectives;

import io.meshtransport.topology.Fabric;
import io.meshtransport.topology.FabricException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** A short program of the host, run at a node to its end. */
final class NodeProgramRun {
  private NodeProgramRun() {}

  /**
   * Runs it.
   *
   * @return what it printed
   * @throws FabricException if it does not start, or fails
   */
  static String of(Fabric fabric, String node, List<String> words) {
    try {
      Process process = fabric.start(node, new ProcessBuilder(words).redirectErrorStream(true));
      String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      int status = process.waitFor();
      if (status != 0) {
        throw new FabricException(
            "`%s` at %s failed with %d: %s"
                .formatted(String.join(" ", words), node, status, printed.strip()));
      }
      return printed;
    } catch (IOException e) {
      throw new FabricException(words.get(0) + " at " + node + ": " + e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new FabricException("interrupted in " + words.get(0) + " at " + node, e);
    }
  }
}
