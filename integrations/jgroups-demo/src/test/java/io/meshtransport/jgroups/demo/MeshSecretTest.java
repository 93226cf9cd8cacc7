// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.meshtransport.jgroups.demo.MemberCommand.Batch;
import io.meshtransport.topology.RequiresNamespaces;
import io.meshtransport.topology.Topologies;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** A group over MESH whose members prove that they know a secret, and one that does not know it. */
@RequiresNamespaces
class MeshSecretTest {
  /** The logger of those who refuse. */
  private static final String WARNINGS = "SecretWarnings";

  private static final String FINDINGS = "MeshState";

  /**
   * The time after the member without the secret has logged why: in it, this member queries each
   * seed again, 1.4 s and 3 s after the first time.
   */
  private static final Duration ASKING = Duration.ofSeconds(5);

  private static final List<Batch> SOME =
      List.of(Batch.toEveryone(50, 1_000), Batch.toEveryone(5, 200_000));

  private static Map<String, String> secret(String node) {
    String secret = node.equals("c") ? "another secret than theirs" : "what only members know";
    return Map.of("jgroups.mesh.settings", "MESH_SECRET=" + secret);
  }

  @Test
  void shouldKeepOutWhoDoesNotKnowTheSecretAndSayWhyOnce() {
    try (GroupScenario three =
        GroupScenario.on(Topologies.TRIANGLE, stack -> stack.with(MeshSecretTest::secret))) {
      List<String> members = List.of("a", "b");
      three.group().start(three.nodes());
      three.group().join(three.nodes(), GroupScenario.STEP);
      three.group().awaitView(members, GroupScenario.STEP);
      three.exchange(members, SOME);

      RunningGroup.await(
          GroupScenario.STEP,
          () -> refusals(three, "c") < members.size() ? three.member("c").log().toString() : "");
      long beginNs = System.nanoTime();
      RunningGroup.await(
          GroupScenario.STEP,
          () -> System.nanoTime() - beginNs > ASKING.toNanos() ? "" : "it goes on asking");
      assertEquals(members.size(), refusals(three, "c"), "one for each address it asks");
      for (String member : members) {
        assertEquals(1, refusals(three, member), member);
        assertEquals(1, warnings(three, member), "of the host that " + member + " refused");
      }

      three.exchange(members, SOME);
      three.group().awaitView(members, GroupScenario.STEP);
      three.group().awaitView(List.of("c"), GroupScenario.STEP);
      assertEquals(1, three.member("c").views().views().size());
    }
  }

  /** How often a member's log says why it was refused, besides what the mesh says of each cable. */
  private static long refusals(GroupScenario three, String node) {
    return mentions(
        three, node, logger -> !logger.endsWith(WARNINGS) && !logger.endsWith(FINDINGS));
  }

  /** How often a node's log says that it refused a host. */
  private static long warnings(GroupScenario three, String node) {
    return mentions(three, node, logger -> logger.endsWith(WARNINGS));
  }

  private static long mentions(GroupScenario three, String node, Predicate<String> logger) {
    return three.member(node).log().stream()
        .filter(line -> logger.test(line.logger()))
        .mapToLong(line -> line.count() * (line.text().split("MESH_SECRET", -1).length - 1))
        .sum();
  }
}
