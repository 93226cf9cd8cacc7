package io.meshtransport.jgroups.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.meshtransport.jgroups.demo.MemberCommand.Batch;
import io.meshtransport.topology.NodeJvm;
import io.meshtransport.topology.Topologies;
import io.meshtransport.topology.lab.RequiresLab;
import io.meshtransport.topology.lab.TestLab;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A group over MESH on three guests with RDMA devices, through libibverbs. */
@RequiresLab
class RoceGroupTest {
  /** What takes a millisecond elsewhere takes a tenth of a second in a guest. */
  private static final NodeJvm JVM = GroupScenario.jvm(Map.of("MESH_TIMEOUT_MS", "60000"));

  @Test
  void shouldLetEveryoneHearEveryoneOverRdma() {
    try (GroupScenario three =
        GroupScenario.on(
                TestLab.boot(Topologies.TRIANGLE),
                fabric -> GroupStack.mesh("mesh.xml", fabric.topology()),
                JVM)
            .start()) {
      three.exchange(
          List.of(
              Batch.toEveryone(20, 16),
              Batch.toEveryone(10, 1),
              Batch.toEveryone(5, 100_000),
              Batch.toEveryone(1, 2_000_000)));
      for (String node : three.nodes()) {
        assertEquals("2", three.attributes(node, "MESH").get("open_links"), node);
      }
    }
  }
}
