// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.jgroups.demo.MemberCommand.Batch;
import io.meshtransport.topology.RequiresNamespaces;
import io.meshtransport.topology.Topologies;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Members whose process is gone are excluded at the word of their hosts, heartbeats or not. */
@RequiresNamespaces
class MeshGoneTest {
  /** Longer than any test: no member is suspected for want of heartbeats. */
  private static final Map<String, String> PATIENT = Map.of("jgroups.mesh.fd_timeout", "600000");

  /** An exclusion takes 1 to 3 s, on a busy host more; FD_ALL3 would need all of its timeout. */
  private static final Duration EXCLUSION = Duration.ofSeconds(60);

  private static final int PER_SECOND = 100;

  /**
   * The lines report that the channel has failed and the link is lost, in each direction, and that
   * there is no link any more; one line is for a bystander.
   */
  private static final long LINES_PER_DEATH = 5;

  private static final List<Batch> SOME = List.of(Batch.toEveryone(10, 1_000));

  private static long suspicions(GroupScenario three, String node) {
    return Long.parseLong(three.attributes(node, "MESH").get("gone_suspicions"));
  }

  /** Lines of a member's log at WARN and above, without JGroups' on a view that came slowly. */
  private static long loudLines(GroupScenario three, String node) {
    return three.member(node).log().stream()
        .filter(line -> !line.logger().endsWith(".GMS"))
        .mapToLong(MemberEvent.LogLine::count)
        .sum();
  }

  private static void kill(GroupScenario three, String victim) {
    List<String> survivors = new ArrayList<>(three.nodes());
    survivors.remove(victim);
    Map<String, Long> loud = new TreeMap<>();
    survivors.forEach(node -> loud.put(node, loudLines(three, node)));
    // Hundreds of messages that do not reach the dead one.
    three.startSending(survivors, PER_SECOND);
    long beginNs = System.nanoTime();
    three.group().kill(victim);
    three.group().awaitView(survivors, EXCLUSION);
    System.out.printf("excluded after %.1f s%n", (System.nanoTime() - beginNs) / 1e9);
    three.stopSending(survivors);
    assertTrue(survivors.stream().anyMatch(node -> suspicions(three, node) > 0));
    for (String node : survivors) {
      assertEquals("0", three.attributes(node, "FD_ALL3").get("num_suspect_events"), node);
      long lines = loudLines(three, node) - loud.get(node);
      assertTrue(lines <= LINES_PER_DEATH, () -> lines + ": " + three.member(node).log());
    }
  }

  @Test
  void shouldExcludeMembersThatAreKilledWithoutWaitingForTheirHeartbeats() {
    try (GroupScenario three =
        GroupScenario.on(Topologies.TRIANGLE, stack -> stack.with(node -> PATIENT)).start()) {
      three.exchange(SOME);
      List<String> bySeniority = three.member("a").views().current().members();
      // The coordinator excludes another member, then another member excludes its coordinator.
      for (String victim : List.of(bySeniority.get(2), bySeniority.get(0))) {
        kill(three, victim);
        three.group().start(List.of(victim));
        three.group().join(List.of(victim), GroupScenario.STEP);
        three.group().awaitView(three.nodes(), GroupScenario.STEP);
        three.exchange(SOME);
        // The new life is not taken for the old one.
        assertEquals(0, suspicions(three, victim));
        three.awaitLastOfEveryone();
      }
      assertEquals(3, three.member(bySeniority.get(1)).views().current().members().size());
    }
  }
}
