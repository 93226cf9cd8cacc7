// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import io.meshtransport.topology.Fabric;
import io.meshtransport.topology.FabricException;
import io.meshtransport.topology.Topologies;
import io.meshtransport.topology.Topology;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Decides where a demo runs. A topology that the user named runs as named or not at all; only the
 * default may run on loopback instead, and prints that it does. Thread-safe; the fabric is the
 * caller's.
 */
final class DemoFabricChoice {
  private final Supplier<Optional<String>> obstacleToNamespaces;
  private final DemoProgress progress;

  /**
   * @param obstacleToNamespaces why there are no namespaces; empty if there are
   */
  DemoFabricChoice(Supplier<Optional<String>> obstacleToNamespaces, DemoProgress progress) {
    this.obstacleToNamespaces = obstacleToNamespaces;
    this.progress = progress;
  }

  /**
   * Creates the nodes and cables.
   *
   * @param named whether the user named this topology, which rules out any other
   * @throws FabricException if it cannot be created here
   */
  Fabric create(Topology topology, boolean named) {
    if (topology.equals(Topologies.LOOPBACK)) {
      progress.step("laying the cables of a triangle on loopback, 127.77.x.0/24 each");
      return Fabric.loopback(topology);
    }
    Optional<String> obstacle = obstacleToNamespaces.get();
    if (obstacle.isPresent()) {
      return onLoopbackInstead(topology, named, obstacle.get());
    }
    progress.step(
        "laying " + topology.name() + ": " + topology.cables() + ", a namespace per node");
    return Fabric.namespaces(topology);
  }

  private Fabric onLoopbackInstead(Topology topology, boolean named, String obstacle) {
    if (named) {
      throw new FabricException(
          "%s needs network namespaces, and there are none here: %s. Run it as root, or ask for --topology %s"
              .formatted(topology.name(), obstacle.strip(), Topologies.LOOPBACK.name()));
    }
    progress.step("no network namespaces here: " + obstacle);
    progress.step("so the triangle runs on loopback, 127.77.x.0/24 for each cable");
    return Fabric.loopback(Topologies.LOOPBACK);
  }
}
