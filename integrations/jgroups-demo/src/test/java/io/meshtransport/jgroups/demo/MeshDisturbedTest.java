package io.meshtransport.jgroups.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.meshtransport.jgroups.demo.MemberCommand.Batch;
import io.meshtransport.topology.Fabric;
import io.meshtransport.topology.NodeJvm;
import io.meshtransport.topology.Topologies;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A group of three over MESH, one of which stands still for a while. */
class MeshDisturbedTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final int PER_SECOND = 100;

  /** Of multicasts, at that pace: longer than the pause. */
  private static final int COUNT = 500;

  private static final long PAUSE_MS = 3_000;
  private static final NodeJvm JVM =
      RunningGroup.jvm(256, Map.of(), List.of("-XX:TieredStopAtLevel=1"), false);

  private static Fabric triangle() {
    Optional<String> obstacle = Fabric.obstacleToNamespaces();
    assumeTrue(obstacle.isEmpty(), () -> "no network namespaces here: " + obstacle.orElse(""));
    return Fabric.namespaces(Topologies.TRIANGLE);
  }

  @Test
  void shouldForgiveAMemberThatStandsStillForThreeSeconds() {
    try (Fabric fabric = triangle();
        RunningGroup group =
            new RunningGroup(
                fabric, JVM, "test", GroupStack.mesh("mesh.xml", fabric.topology()), 7)) {
      group.startAll(LIMIT);
      List<String> all = fabric.topology().nodes();
      Map<String, MemberEvent.Views> before = views(group, all);
      List<String> talking = List.of("a", "b");
      MemberCommand say =
          new MemberCommand.Say(List.of(Batch.toEveryone(COUNT, 1_000)), PER_SECOND);
      talking.forEach(node -> group.member(node).tell(say));

      group.member("c").pause();
      long beginNs = System.nanoTime();
      RunningGroup.await(
          LIMIT,
          () -> System.nanoTime() - beginNs >= PAUSE_MS * 1_000_000 ? "" : "the pause lasts");
      group.member("c").resume();

      talking.forEach(node -> group.member(node).hear(MemberEvent.Said.class, LIMIT));
      group.ask(
          List.of("c"),
          node -> new MemberCommand.Say(List.of(Batch.toEveryone(COUNT, 1_000)), 0),
          MemberEvent.Said.class,
          LIMIT);
      group.awaitHeard(all, COUNT, 0, LIMIT);
      for (String node : all) {
        for (MemberEvent.HeardOf of : group.member(node).heard().senders()) {
          assertEquals(COUNT, of.multicasts().count(), node + " of " + of);
          assertTrue(of.hasNoFlaw(), () -> node + " of " + of);
        }
      }
      assertEquals(before, views(group, all));
    }
  }

  private static Map<String, MemberEvent.Views> views(RunningGroup group, List<String> nodes) {
    return group.ask(nodes, node -> new MemberCommand.TellViews(), MemberEvent.Views.class, LIMIT);
  }
}
