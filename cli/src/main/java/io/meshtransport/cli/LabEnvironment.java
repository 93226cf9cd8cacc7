// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import io.meshtransport.topology.Fabric;
import io.meshtransport.topology.FabricException;
import io.meshtransport.topology.Topology;
import io.meshtransport.topology.lab.ClassArchive;
import io.meshtransport.topology.lab.LabFabric;
import io.meshtransport.topology.lab.LabOptions;
import io.meshtransport.topology.lab.LabPackages;
import io.meshtransport.topology.lab.RdmaCounters;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;

/** Guests with Soft-RoCE, in which no receiver may ever have been not ready (RNR). */
final class LabEnvironment implements DemoEnvironment {
  /** A set-up in cold JVMs of emulated machines takes seconds. */
  static final int TIMEOUT_MS = 60_000;

  // 4.3 s. A guest that waits for a processor acknowledges late; Soft-RoCE then sends all that is
  // under way again, and a cable carries much more than the messages.
  private static final String ACKNOWLEDGE_TIMEOUT = "20";

  private final Topology topology;
  private final String provider;

  /**
   * @param provider as MESH_PROVIDER has it
   */
  LabEnvironment(Topology topology, String provider) {
    this.topology = topology;
    this.provider = provider;
  }

  @Override
  public Fabric create(DemoProgress progress) {
    try {
      var image = new LabPackages(progress::step).prepare();
      progress.step(
          "booting %d guests with kernel %s: %s"
              .formatted(topology.nodes().size(), image.kernelVersion(), topology.cables()));
      ClassArchive.begin();
      return LabFabric.boot(
          topology,
          image,
          LabOptions.STANDARD,
          Map.of("MESH_PROVIDER", provider, "MESH_IB_TIMEOUT", ACKNOWLEDGE_TIMEOUT));
    } catch (IOException e) {
      throw new FabricException("no lab: " + e.getMessage(), e);
    }
  }

  @Override
  public Optional<String> objection(Fabric fabric, DemoProgress progress) {
    RdmaCounters sum = RdmaCounters.sumOf((LabFabric) fabric);
    progress.print("RDMA counters of all NICs: " + sum + ".");
    return sum.notReady() == 0
        ? Optional.empty()
        : Optional.of("a receiver was not ready " + sum.notReady() + " times");
  }
}
