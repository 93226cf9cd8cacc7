// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.jgroups.demo.MemberCommand.Batch;
import io.meshtransport.topology.Cable;
import io.meshtransport.topology.Fabric;
import io.meshtransport.topology.RequiresNamespaces;
import io.meshtransport.topology.Topologies;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Members that no seed tells of each other, and that the mesh says are gone. */
@RequiresNamespaces
class MeshWithoutSeedsTest {
  /** Longer than any test: no member is suspected for want of heartbeats. */
  private static final Map<String, String> PATIENT =
      Map.of("jgroups.mesh.seeds", "", "jgroups.mesh.fd_timeout", "600000");

  /** A verdict takes 1.5 s and its verification 1 to 2 s, on a busy host more. */
  private static final Duration EXCLUSION = Duration.ofSeconds(60);

  /** A wrong verdict would come within 1.5 s, and its verification 2 s later. */
  private static final Duration WATCHED = Duration.ofSeconds(4);

  private static final List<Batch> SOME = List.of(Batch.toEveryone(10, 1_000));

  private static GroupScenario three(Fabric fabric) {
    return GroupScenario.on(
            fabric,
            on -> GroupStack.mesh("mesh.xml", on.topology()).with(node -> PATIENT),
            GroupScenario.JVM)
        .start();
  }

  private static void awaitWithout(GroupScenario three, String victim, long beganNs, String what) {
    List<String> survivors = three.nodes().stream().filter(node -> !node.equals(victim)).toList();
    three.group().awaitView(survivors, EXCLUSION);
    System.out.printf("%s: excluded after %.1f s%n", what, (System.nanoTime() - beganNs) / 1e9);
    for (String node : survivors) {
      assertEquals("0", three.attributes(node, "FD_ALL3").get("num_suspect_events"), node);
    }
    three.exchange(survivors, SOME);
  }

  @Test
  void shouldFormAndMendAGroupWithoutAnySeed() {
    try (GroupScenario three = three(Fabric.namespaces(Topologies.TRIANGLE))) {
      three.exchange(SOME);
      long beganNs = System.nanoTime();
      three.group().kill("c");
      awaitWithout(three, "c", beganNs, "a member whose process is killed");
      three.group().start(List.of("c"));
      three.group().join(List.of("c"), GroupScenario.STEP);
      three.group().awaitView(three.nodes(), GroupScenario.STEP);
      three.exchange(SOME);
    }
  }

  @Test
  void shouldFormAGroupWithoutSeedsAndWithoutAddresses() {
    try (GroupScenario three = three(Fabric.namespaces(Topologies.LINK_LOCAL))) {
      three.exchange(SOME);
    }
  }

  /** Its connections by themselves would be silent for 15 s, and heartbeats are patient here. */
  @Test
  void shouldExcludeANodeThatNobodyHearsAndKeepOneWhoseCableIsCut() {
    Fabric fabric = Fabric.relayed(Topologies.TRIANGLE, 1);
    try (GroupScenario three = three(fabric)) {
      three.exchange(SOME);
      Map<String, MemberEvent.Views> views = new TreeMap<>(three.views());
      Cable ab = fabric.topology().cables().get(0);
      fabric.relay(ab).blackHole(Duration.ofSeconds(3));
      Awaitility.await()
          .pollInSameThread()
          .during(WATCHED)
          .atMost(GroupScenario.STEP)
          .until(three::views, views::equals);
      three.exchange(SOME);

      long beganNs = System.nanoTime();
      for (Cable each : fabric.topology().cables()) {
        if (each.touches("c")) {
          fabric.relay(each).blackHole(Duration.ofHours(1));
        }
      }
      awaitWithout(three, "c", beganNs, "a member whose node nobody hears");
      assertTrue(
          List.of("a", "b").stream()
              .anyMatch(
                  node -> !three.attributes(node, "MESH").get("gone_suspicions").equals("0")));
    }
  }
}
