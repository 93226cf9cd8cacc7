// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import io.meshtransport.topology.Fabric;
import java.util.Optional;

/** Where a demo runs, and what must hold there besides what every demo shows. */
interface DemoGroundwork {
  /**
   * Lays the cables and prints each step.
   *
   * @throws io.meshtransport.topology.FabricException if they cannot be laid here
   */
  Fabric lay(DemoProgress progress);

  /**
   * Checks the fabric after the nodes have finished and prints the findings.
   *
   * @return why the demo has failed nevertheless
   */
  default Optional<String> objection(Fabric fabric, DemoProgress progress) {
    return Optional.empty();
  }
}
