// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.meshtransport.jgroups.demo.MemberCommand.Batch;
import io.meshtransport.topology.NodeJvm;
import io.meshtransport.topology.Topologies;
import io.meshtransport.topology.Topology;
import io.meshtransport.topology.lab.GuestJvm;
import io.meshtransport.topology.lab.RequiresLab;
import io.meshtransport.topology.lab.TestLab;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * A group over MESH on guests with RDMA devices, through libibverbs. Two of them do for it: that
 * three and five hear each other, each by its own cable, {@link MeshGroupTest} shows in software,
 * and that three guests reach each other, the demo in the lab. {@code -Dmesh.test.long=true} takes
 * three here, too.
 */
@RequiresLab
class RoceGroupTest {
  /** What takes a millisecond elsewhere takes a tenth of a second in a guest. */
  private static final NodeJvm JVM =
      GroupScenario.jvm(Map.of("MESH_TIMEOUT_MS", "60000"), GuestJvm.QUICK_START);

  private static final Topology TOPOLOGY =
      Boolean.getBoolean("mesh.test.long") ? Topologies.TRIANGLE : Topologies.PAIR;

  @Test
  void shouldDeliverFromEachToEachOverRdma() {
    try (GroupScenario group =
        GroupScenario.on(
                TestLab.boot(TOPOLOGY),
                fabric -> GroupStack.mesh("mesh.xml", fabric.topology()),
                JVM)
            .start()) {
      group.exchange(
          List.of(
              Batch.toEveryone(20, 16),
              Batch.toEveryone(10, 1),
              Batch.toEveryone(5, 100_000),
              Batch.toEveryone(1, 2_000_000)));
      for (String node : group.nodes()) {
        String links = String.valueOf(TOPOLOGY.peersOf(node).size());
        assertEquals(links, group.attributes(node, "MESH").get("open_links"), node);
      }
    }
  }
}
