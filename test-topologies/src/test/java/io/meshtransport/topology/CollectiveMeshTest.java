// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
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

  private static final long BYTES = 16 << 20;

  /** Half of them are timed. */
  private static final int RUNS = 6;

  private static List<LineProgram> start(Fabric fabric, String... arguments)
      throws IOException, InterruptedException {
    List<LineProgram> programs = new ArrayList<>();
    NodeJvm jvm = NodeJvm.withSettings(Map.of("MESH_PROVIDER", "soft"));
    List<String> nodes = fabric.topology().nodes();
    for (String each : nodes) {
      programs.add(
          LineProgram.start(
              fabric,
              each,
              jvm,
              CollectiveProgram.class,
              Stream.concat(Stream.of(String.valueOf(nodes.size())), Stream.of(arguments))
                  .toArray(String[]::new)));
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

  /** Each, though the first that fail leave before the last one knows for how long they stay. */
  @Test
  void shouldSayOnEachOfThreeHostsThatTheyShareAName() throws Exception {
    try (Fabric fabric = Fabric.namespaces(Topologies.TRIANGLE)) {
      NodeJvm jvm =
          new NodeJvm(
              Map.of("MESH_PROVIDER", "soft"),
              List.of("-Dmesh.node=twin", "-Dmesh.test.gate=true"),
              false);
      List<LineProgram> programs = new ArrayList<>();
      for (String each : List.of("a", "b", "c")) {
        programs.add(LineProgram.start(fabric, each, jvm, CollectiveProgram.class, "3"));
      }
      for (LineProgram each : programs) {
        each.await("in the mesh");
      }
      programs.forEach(each -> each.say("join"));
      List<String> failures = new ArrayList<>();
      for (LineProgram each : programs) {
        String failure = each.await("failed: ");
        assertTrue(failure.contains(" nodes are named 'twin': this node, twin ("), failure);
        assertTrue(failure.contains("CONFIGURATION"), failure);
        assertTrue(failure.contains("MESH_NODE"), failure);
        failures.add(failure);
      }
      assertTrue(
          failures.stream()
              .anyMatch(
                  each ->
                      each.contains(" at to-b 10.77.1.1") && each.contains(" at to-a 10.77.1.2")),
          "" + failures);
    }
  }

  private static LineProgram start(Fabric fabric, String node, Map<String, String> settings)
      throws Exception {
    NodeJvm jvm = new NodeJvm(settings, List.of("-Dmesh.test.limit=12"), false);
    return LineProgram.start(fabric, node, jvm, CollectiveProgram.class, "2");
  }

  @Test
  void shouldSayFirstThatTheOtherNodeHasNoSecret() throws Exception {
    try (Fabric fabric = Fabric.namespaces(Topologies.PAIR)) {
      LineProgram one =
          start(
              fabric, "a", Map.of("MESH_PROVIDER", "soft", "MESH_SECRET", "a secret of this test"));
      LineProgram other = start(fabric, "b", Map.of("MESH_PROVIDER", "soft"));
      String first = "group 'test' of 2 members: This node finds: ";
      String here = one.await("failed: ");
      assertTrue(here.contains(first), here);
      assertTrue(here.contains(" on that one too. Only [a] came in time."), here);
      assertTrue(
          here.contains("has no secret, and this node has one; it calls itself b, which"), here);
      String there = other.await("failed: ");
      assertTrue(there.contains(first), there);
      assertTrue(there.contains(" on this one too. Only [b] came in time."), there);
      assertTrue(
          there.contains("has a secret, and this node has none; it calls itself a, which"), there);
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
      loop(programs);
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

  private static void loop(List<LineProgram> programs) throws Exception {
    programs.forEach(each -> each.say("loop"));
    for (LineProgram each : programs) {
      each.await("loops");
    }
  }

  /** All ranks live: none may be left out because of a cable. */
  @Test
  void shouldGoOnOverTheCablesThatAreLeft() throws Exception {
    try (NamespaceFabric fabric = (NamespaceFabric) Fabric.relayed(Topologies.TRIANGLE, 1)) {
      List<LineProgram> programs = start(fabric);
      loop(programs);
      fabric.relay(fabric.topology().cables().get(0)).blackHole(Duration.ofHours(1));
      for (LineProgram each : programs) {
        String lost = each.await("lost ");
        assertTrue(
            lost.startsWith("lost LINK_LOST : No cable is left between rank 0 (a) and rank 1 (b)"),
            lost);
      }
      for (LineProgram each : programs) {
        String rest = each.await("goes on with");
        assertTrue(rest.equals("goes on with [a, b, c] in epoch 1"), rest);
      }
      end(programs);
    }
  }

  /** Nothing fails: the connection of the cable goes on over the third node. */
  @Test
  void shouldGoOnOverARelayWhereThereIsOne() throws Exception {
    try (NamespaceFabric fabric = (NamespaceFabric) Fabric.namespaces(Topologies.TRIANGLE)) {
      List<LineProgram> programs = start(fabric, "relay");
      loop(programs);
      fabric.cut(fabric.topology().cables().get(0));
      // Operations end over the relay, or those that are behind this line would not be begun.
      programs.get(0).say("describe");
      for (LineProgram each : programs) {
        each.await("looped ");
      }
      programs.get(0).await("described ");
      all(programs);
      end(programs);
    }
  }

  /** Two ranks that no cable joins, and a third that is no member of their group. */
  @Test
  void shouldJoinRanksThatOnlyARelayJoins() throws Exception {
    try (Fabric fabric = Fabric.namespaces(LINE)) {
      NodeJvm jvm = NodeJvm.withSettings(Map.of("MESH_PROVIDER", "soft"));
      LineProgram between =
          LineProgram.start(fabric, "b", jvm, CollectiveProgram.class, "1", "relay", "alone");
      between.await("joined as");
      List<LineProgram> programs = new ArrayList<>();
      for (String node : List.of("a", "c")) {
        programs.add(LineProgram.start(fabric, node, jvm, CollectiveProgram.class, "2", "relay"));
      }
      for (LineProgram each : programs) {
        each.await("joined as");
      }
      all(programs);
      programs.get(0).say("describe");
      String described = programs.get(0).await("described ");
      assertTrue(
          described.contains("Between rank 0 (a), rank 1 (c) connections go over relays"),
          described);
      end(programs);
      between.end();
    }
  }

  /** One that is cut leaves all to the other. */
  @Test
  void shouldUseBothCablesOfTwoNodes() throws Exception {
    Topology pair =
        new Topology(
            "pair",
            List.of("a", "b"),
            List.of(
                Cable.between("a", "10.77.1.1/24", "b", "10.77.1.2/24").withRate(1000),
                Cable.between("a", "10.77.2.1/24", "b", "10.77.2.2/24").withRate(1000)));
    try (NamespaceFabric fabric = (NamespaceFabric) Fabric.namespaces(pair)) {
      List<LineProgram> programs = start(fabric);
      all(programs);
      List<Long> before = sentBytes(fabric, "a");
      programs.forEach(each -> each.say("time " + BYTES + " " + RUNS / 2));
      for (LineProgram each : programs) {
        System.out.println(each.await("took"));
      }
      List<Long> after = sentBytes(fabric, "a");
      // A is the root of both trees: it sends the sums, one array in each run.
      for (int i = 0; i < after.size(); i++) {
        long sent = after.get(i) - before.get(i);
        System.out.println(sent + " bytes over " + fabric.topology().cables().get(i));
        assertTrue(
            sent > RUNS * BYTES / 3, sent + " bytes over " + fabric.topology().cables().get(i));
      }
      loop(programs);
      fabric.cut(fabric.topology().cables().get(0));
      programs.get(0).say("describe");
      for (LineProgram each : programs) {
        each.await("looped ");
      }
      System.out.println(programs.get(0).await("described "));
      end(programs);
    }
  }

  /** By cable of the topology. */
  private static List<Long> sentBytes(NamespaceFabric fabric, String node) {
    return fabric.topology().cables().stream()
        .map(each -> fabric.topology().interfaceName(each, node))
        .map(
            name ->
                fabric.counters(node).stream()
                    .filter(counters -> counters.name().equals(name))
                    .mapToLong(InterfaceCounters::sentBytes)
                    .sum())
        .toList();
  }
}
