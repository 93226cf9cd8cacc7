// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * {@link io.meshtransport.collectives.Group}s on real cables, a JVM per node: every operation, and
 * a node whose process is killed.
 */
@RequiresNamespaces
class CollectiveMeshTest {
  private static final Topology LINE =
      new Topology(
          "line",
          List.of("a", "b", "c"),
          List.of(
              Cable.between("a", "10.77.1.1/24", "b", "10.77.1.2/24"),
              Cable.between("b", "10.77.2.1/24", "c", "10.77.2.2/24")));

  private static final Topology RING =
      new Topology(
          "ring",
          List.of("a", "b", "c", "d"),
          List.of(
              Cable.between("a", "10.77.1.1/24", "b", "10.77.1.2/24"),
              Cable.between("b", "10.77.2.1/24", "c", "10.77.2.2/24"),
              Cable.between("c", "10.77.3.1/24", "d", "10.77.3.2/24"),
              Cable.between("d", "10.77.4.1/24", "a", "10.77.4.2/24")));

  private static List<LineProgram> start(Fabric fabric) throws IOException, InterruptedException {
    List<LineProgram> programs = new ArrayList<>();
    NodeJvm jvm = NodeJvm.withSettings(Map.of("MESH_PROVIDER", "soft"));
    List<String> nodes = fabric.topology().nodes();
    for (String each : nodes) {
      programs.add(
          LineProgram.start(
              fabric, each, jvm, CollectiveProgram.class, String.valueOf(nodes.size())));
    }
    for (LineProgram each : programs) {
      each.await("joined as");
    }
    return programs;
  }

  private static void all(List<LineProgram> programs) throws Exception {
    programs.forEach(each -> each.say("all"));
    for (LineProgram each : programs) {
      each.await("all right");
    }
  }

  private static void end(List<LineProgram> programs) throws Exception {
    for (LineProgram each : programs) {
      each.process.getOutputStream().close();
    }
    for (LineProgram each : programs) {
      each.await("ended");
    }
  }

  @Test
  void shouldDoAllOperationsOnATriangle() throws Exception {
    try (Fabric fabric = Fabric.namespaces(Topologies.TRIANGLE)) {
      List<LineProgram> programs = start(fabric);
      all(programs);
      end(programs);
    }
  }

  @Test
  void shouldDoAllOperationsOnALine() throws Exception {
    try (Fabric fabric = Fabric.namespaces(LINE)) {
      List<LineProgram> programs = start(fabric);
      all(programs);
      end(programs);
    }
  }

  @Test
  void shouldGoOnOnARingWithoutANodeThatWasKilled() throws Exception {
    try (Fabric fabric = Fabric.namespaces(RING)) {
      List<LineProgram> programs = new ArrayList<>(start(fabric));
      all(programs);
      programs.forEach(each -> each.say("loop"));
      for (LineProgram each : programs) {
        each.await("loops");
      }
      programs.remove(2).signal("KILL");
      for (LineProgram each : programs) {
        String lost = each.await("lost ");
        assertTrue(lost.startsWith("lost RANK_LOST c: rank 2 (c)"), lost);
        each.await("all right");
        String rest = each.await("goes on with");
        assertTrue(rest.equals("goes on with [a, b, d] in epoch 1"), rest);
      }
      end(programs);
    }
  }
}
