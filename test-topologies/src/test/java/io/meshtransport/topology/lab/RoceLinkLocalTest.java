// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.topology.Cable;
import io.meshtransport.topology.CollectiveProgram;
import io.meshtransport.topology.LineProgram;
import io.meshtransport.topology.NodeCommand;
import io.meshtransport.topology.NodeEvent;
import io.meshtransport.topology.NodeJvm;
import io.meshtransport.topology.RunningMesh;
import io.meshtransport.topology.Topologies;
import io.meshtransport.topology.Topology;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Three guests and three cables with the same two link-local addresses on each: over libibverbs the
 * kernel finds the way by the GID's row, which knows its interface.
 */
@RequiresLab
class RoceLinkLocalTest {
  private static final Topology TOPOLOGY = Topologies.LINK_LOCAL;

  /** Three JVMs start at once on emulated processors. */
  private static final Duration PATIENCE = Duration.ofSeconds(120);

  /** On a busy host a guest may pause for longer than 7 times 67 ms; so 7 times 1.07 s. */
  private static final NodeJvm JVM =
      new NodeJvm(
          Map.of("MESH_TIMEOUT_MS", "60000", "MESH_IB_TIMEOUT", "18", "MESH_PROVIDER", "ibverbs"),
          GuestJvm.QUICK_START,
          false);

  private static final NodeJvm PROGRAM =
      new NodeJvm(
          Map.of("MESH_TIMEOUT_MS", "60000", "MESH_IB_TIMEOUT", "18", "MESH_PROVIDER", "ibverbs"),
          Stream.concat(GuestJvm.QUICK_START.stream(), Stream.of("-Dmesh.test.limit=100")).toList(),
          false);

  private static final int MIB = 1 << 20;
  private static final long SEED = Long.getLong("mesh.seed", System.nanoTime());

  private static LabFabric fabric;

  @BeforeAll
  static void boot() {
    fabric = TestLab.boot(TOPOLOGY);
  }

  @AfterAll
  static void close() {
    fabric.close();
  }

  /** {@link CollectiveProgram}: each operation, short and long, by puts of real queue pairs. */
  @Test
  @EnabledIfSystemProperty(
      named = "mesh.test.long",
      matches = "true",
      disabledReason =
          "CollectiveMeshTest does it in software, and this takes most of a minute;"
              + " -Dmesh.test.long=true runs both")
  void shouldDoCollectiveOperationsOverRdma() throws Exception {
    List<LineProgram> programs = new ArrayList<>();
    for (String node : fabric.topology().nodes()) {
      programs.add(
          LineProgram.startInGuest(
              fabric,
              node,
              PROGRAM,
              CollectiveProgram.class,
              String.valueOf(fabric.topology().nodes().size())));
    }
    for (LineProgram each : programs) {
      each.await("joined as", PATIENCE.toSeconds());
    }
    programs.forEach(each -> each.say("all"));
    for (LineProgram each : programs) {
      each.await("all right", PATIENCE.toSeconds());
    }
    for (LineProgram each : programs) {
      each.process.getOutputStream().close();
    }
    for (LineProgram each : programs) {
      each.await("ended", PATIENCE.toSeconds());
    }
  }

  @Test
  void shouldCarryMessagesOverTheCableOfEachPair() {
    System.out.println("messages follow from -Dmesh.seed=" + SEED);
    try (RunningMesh mesh = RunningMesh.start(fabric, JVM)) {
      Map<String, List<NodeEvent.Link>> links = mesh.connectAll(2 * MIB, PATIENCE);
      for (Cable cable : fabric.topology().cables()) {
        String node = cable.a().node();
        NodeEvent.Link link =
            links.get(node).stream()
                .filter(each -> each.peer().equals(cable.peerOf(node)))
                .findFirst()
                .orElseThrow();
        assertTrue(link.localNic().startsWith(fabric.rdmaDevice(cable, node)), link.toString());
        assertTrue(link.subnet().startsWith("fe80::%"), link.toString());
      }

      List<NodeCommand.Batch> batches =
          List.of(new NodeCommand.Batch(20, 64), new NodeCommand.Batch(2, MIB));
      NodeEvent.Exchanged all = new NodeEvent.Exchanged(2 * 22L, 2 * (20L * 64 + 2 * MIB));
      mesh.exchange(batches, SEED, PATIENCE)
          .forEach((node, arrived) -> assertEquals(all, arrived, node));
      for (Cable cable : fabric.topology().cables()) {
        long packets = RdmaCounters.of(fabric, cable.a().node(), cable).packets();
        assertTrue(packets >= 2 * MIB / 4096, cable + " carried " + packets + " packets");
      }
    }
  }
}
