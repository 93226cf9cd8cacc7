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

/** A group of three over MESH on a triangle of cables, where stock TCP does not work. */
class MeshGroupTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final NodeJvm JVM =
      RunningGroup.jvm(256, Map.of(), List.of("-XX:TieredStopAtLevel=1"), false);

  private static Fabric triangle() {
    Optional<String> obstacle = Fabric.obstacleToNamespaces();
    assumeTrue(obstacle.isEmpty(), () -> "no network namespaces here: " + obstacle.orElse(""));
    return Fabric.namespaces(Topologies.TRIANGLE);
  }

  @Test
  void shouldLetEveryoneHearEveryoneAndComeBackAfterAKill() {
    try (Fabric fabric = triangle();
        RunningGroup group =
            new RunningGroup(
                fabric, JVM, "test", GroupStack.mesh("mesh.xml", fabric.topology()), 7)) {
      group.startAll(LIMIT);
      List<String> all = fabric.topology().nodes();
      List<Batch> batches =
          List.of(
              Batch.toEveryone(20, 0),
              Batch.toEveryone(20, 1),
              Batch.toEveryone(20, 100_000),
              Batch.toEveryone(1, 5_000_000));
      group.ask(all, node -> new MemberCommand.Say(batches, 0), MemberEvent.Said.class, LIMIT);
      group.awaitHeard(all, 61, 0, LIMIT);
      for (String node : all) {
        MemberEvent.Heard heard = group.member(node).heard();
        assertEquals(all, heard.senders().stream().map(MemberEvent.HeardOf::name).toList());
        assertTrue(
            heard.senders().stream().allMatch(MemberEvent.HeardOf::hasNoFlaw), heard.toString());
      }

      group
          .member("a")
          .ask(new MemberCommand.ProvideState(30_000_001), MemberEvent.Done.class, LIMIT);
      MemberEvent.StateFetched state =
          group
              .member("c")
              .ask(
                  new MemberCommand.FetchState("a", LIMIT.toMillis()),
                  MemberEvent.StateFetched.class,
                  LIMIT);
      assertEquals(30_000_001, state.bytes());

      group.kill("c");
      group.awaitView(List.of("a", "b"), LIMIT);
      group.start(List.of("c"));
      group.join(List.of("c"), LIMIT);
      group.awaitView(all, LIMIT);
    }
  }
}
