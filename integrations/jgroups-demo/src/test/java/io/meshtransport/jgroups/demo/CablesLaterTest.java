// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.meshtransport.jgroups.demo.MemberCommand.Batch;
import io.meshtransport.topology.Cable;
import io.meshtransport.topology.RequiresNamespaces;
import io.meshtransport.topology.Topologies;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Members whose cables come up after they started, as of boxes that are switched on one after the
 * other: a port without a neighbour has no carrier.
 */
@RequiresNamespaces
class CablesLaterTest {
  /** Longer than any test: no member is suspected for want of heartbeats. */
  private static final Map<String, String> PATIENT = Map.of("jgroups.mesh.fd_timeout", "600000");

  /** From the last cable's coming up to all links: 3 s are promised, a busy host has some more. */
  private static final Duration LINKED = Duration.ofSeconds(20);

  private static final Duration MERGED = Duration.ofSeconds(60);

  private static final List<Batch> SOME =
      List.of(Batch.toEveryone(20, 1_000), Batch.toEveryone(2, 200_000));

  private static GroupScenario triangle() {
    return GroupScenario.on(Topologies.TRIANGLE, stack -> stack.with(node -> PATIENT));
  }

  private static Cable cable(String one, String other) {
    return Topologies.TRIANGLE.cablesBetween(one, other).get(0);
  }

  private static void join(GroupScenario three, String node) {
    three.group().start(List.of(node));
    three.group().join(List.of(node), GroupScenario.STEP);
  }

  private static void awaitAllLinks(GroupScenario three, long sinceNs) {
    RunningGroup.await(
        LINKED,
        () -> {
          List<String> missing = new ArrayList<>();
          for (String node : three.nodes()) {
            Map<String, String> mesh = three.attributes(node, "MESH");
            if (!"2".equals(mesh.get("open_links"))) {
              missing.add(node + ": " + mesh);
            }
          }
          return String.join("; ", missing);
        });
    System.out.printf("all linked after %.1f s%n", (System.nanoTime() - sinceNs) / 1e9);
  }

  /**
   * In the second order the coordinator has no cable to the last member, which joins afterwards.
   */
  @ParameterizedTest
  @ValueSource(strings = {"cab", "acb"})
  void shouldReachEachOtherOnceTheCableBetweenTwoIsPluggedIn(String order) {
    try (GroupScenario three = triangle()) {
      three.fabric().cut(cable("a", "b"));
      for (String node : order.split("")) {
        join(three, node);
      }
      long sinceNs = System.nanoTime();
      three.fabric().mend(cable("a", "b"));
      awaitAllLinks(three, sinceNs);
      three.group().awaitView(three.nodes(), MERGED);
      three.exchange(SOME);
      for (String node : three.nodes()) {
        assertEquals("0", three.attributes(node, "MESH").get("gone_suspicions"), node);
      }
    }
  }

  @Test
  void shouldComeTogetherOnceCablesArePluggedInBetweenMembersThatStartedAlone() {
    try (GroupScenario three = triangle()) {
      Topologies.TRIANGLE.cables().forEach(three.fabric()::cut);
      three.group().start(three.nodes());
      three.group().join(three.nodes(), GroupScenario.STEP);
      Topologies.TRIANGLE.cables().forEach(three.fabric()::mend);
      awaitAllLinks(three, System.nanoTime());
      three.group().awaitView(three.nodes(), MERGED);
      three.exchange(SOME);
    }
  }
}
