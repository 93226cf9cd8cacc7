// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import io.meshtransport.topology.Fabric;
import io.meshtransport.topology.FabricException;

/** What all commands that measure in namespaces need. */
final class BenchEnvironment {
  /** MESH_TIMEOUT_MS: cold JVMs at once on a busy host of two cores need more than its default. */
  static final int TIMEOUT_MS = 15_000;

  private BenchEnvironment() {}

  /**
   * @throws FabricException with the reason, if this host has none
   */
  static void requireNamespaces() {
    Fabric.obstacleToNamespaces()
        .ifPresent(
            why -> {
              throw new FabricException(
                  "no network namespaces here: %s. Run it as root".formatted(why.strip()));
            });
  }
}
