// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.topology.Cable;
import io.meshtransport.topology.NodeCommand;
import io.meshtransport.topology.NodeEvent;
import io.meshtransport.topology.NodeJvm;
import io.meshtransport.topology.RunningMesh;
import io.meshtransport.topology.Topologies;
import io.meshtransport.topology.Topology;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Four guests, a cable between each two of them, and three RDMA devices in each. */
@RequiresLab
@EnabledIfSystemProperty(
    named = "mesh.test.long",
    matches = "true",
    disabledReason = "three guests do for four in RoceGroupTest; -Dmesh.test.long=true runs both")
class RoceMeshTest {
  private static final int NODES = 4;

  /** Four JVMs start at once on four emulated processors of two real ones. */
  private static final Duration PATIENCE = Duration.ofSeconds(120);

  /** On a busy host a guest may pause for longer than 7 times 67 ms; so 7 times 1.07 s. */
  private static final NodeJvm JVM =
      new NodeJvm(
          Map.of("MESH_TIMEOUT_MS", "60000", "MESH_IB_TIMEOUT", "18"), GuestJvm.QUICK_START, false);

  private static final int MIB = 1 << 20;
  private static final long SEED = Long.getLong("mesh.seed", System.nanoTime());

  @Test
  void shouldReachEveryNodeOverItsOwnCable() {
    System.out.println("messages follow from -Dmesh.seed=" + SEED);
    Topology topology = Topologies.fullMesh(NODES);
    try (LabFabric fabric = TestLab.boot(topology);
        RunningMesh mesh = RunningMesh.start(fabric, JVM)) {
      assertUsesEachCable(fabric, mesh.connectAll(2 * MIB, PATIENCE));

      List<NodeCommand.Batch> batches =
          List.of(new NodeCommand.Batch(20, 64), new NodeCommand.Batch(2, MIB));
      NodeEvent.Exchanged all =
          new NodeEvent.Exchanged((NODES - 1) * 22L, (NODES - 1) * (20L * 64 + 2 * MIB));
      mesh.exchange(batches, SEED, PATIENCE)
          .forEach((node, arrived) -> assertEquals(all, arrived, node));

      RdmaCounters sum = RdmaCounters.sumOf(fabric);
      assertEquals(0, sum.notReady(), sum.toString());
      for (Cable cable : topology.withMtu(4200).cables()) {
        long packets = RdmaCounters.of(fabric, cable.a().node(), cable).packets();
        assertTrue(packets >= 2 * MIB / 4096, cable + " carried " + packets + " packets");
      }
    }
  }

  private static void assertUsesEachCable(
      LabFabric fabric, Map<String, List<NodeEvent.Link>> links) {
    for (Cable cable : fabric.topology().cables()) {
      String node = cable.a().node();
      NodeEvent.Link link =
          links.get(node).stream()
              .filter(each -> each.peer().equals(cable.peerOf(node)))
              .findFirst()
              .orElseThrow();
      assertTrue(link.localNic().startsWith(fabric.rdmaDevice(cable, node)), link.toString());
      assertEquals(cable.subnet(), link.subnet(), link.toString());
    }
  }
}
