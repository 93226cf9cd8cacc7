// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import io.meshtransport.topology.Fabric;
import java.util.Optional;

/** The environment that a demo runs in, and what must hold there besides what every demo shows. */
interface DemoEnvironment {
  /**
   * Creates the nodes and cables, and prints each step.
   *
   * @throws io.meshtransport.topology.FabricException if they cannot be created here
   */
  Fabric create(DemoProgress progress);

  /**
   * Checks the fabric after the nodes have finished and prints the findings.
   *
   * @return why the demo has failed nevertheless
   */
  default Optional<String> objection(Fabric fabric, DemoProgress progress) {
    return Optional.empty();
  }
}
