// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.jgroups.demo.MemberCommand.Batch;
import io.meshtransport.topology.RequiresNamespaces;
import io.meshtransport.topology.Topologies;
import io.meshtransport.topology.Topology;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/**
 * Groups over MESH on meshes of cables, where stock TCP does not work, and nothing goes amiss.
 * Those of three share their JVMs, for these take longer to start than the tests to run.
 */
@RequiresNamespaces
class MeshGroupTest {
  private static final int STATE_BYTES = 100_000_001;
  private static final int PER_SECOND = 100;

  private static GroupScenario three;
  private static boolean tidy;

  /** What a test that failed has left behind must not fail the next. */
  private static void beginTidily() {
    if (!tidy) {
      close();
      three = GroupScenario.on(Topologies.TRIANGLE).start();
    }
    tidy = false;
  }

  @AfterAll
  static void close() {
    if (three != null) {
      three.close();
      three = null;
    }
  }

  /** The node before it, at the cable between them; none for the first. */
  private static String oneSeed(Topology cabling, String node) {
    int number = cabling.nodes().indexOf(node);
    if (number == 0) {
      return "";
    }
    String before = cabling.nodes().get(number - 1);
    return GroupStack.address(cabling.cablesBetween(before, node).get(0), before);
  }

  @Test
  void shouldConnectAllOfFiveThoughEachIsConfiguredWithOne() {
    Topology cabling = Topologies.fullMesh(5);
    try (GroupScenario five =
        GroupScenario.on(
                cabling,
                stack -> stack.with(node -> Map.of("jgroups.mesh.seeds", oneSeed(cabling, node))))
            .start()) {
      five.exchange(
          List.of(
              Batch.toEveryone(50, 16), Batch.toEveryone(20, 1), Batch.toEveryone(20, 100_000)));
      for (String node : five.nodes()) {
        Map<String, String> mesh = five.attributes(node, "MESH");
        assertEquals("4", mesh.get("open_links"), () -> node + ": " + mesh);
      }
    }
  }

  @Test
  void shouldCarryMessagesOfAnyLength() {
    beginTidily();
    // Beside what fits one bundle, a fragment and a buffer, and by a byte does not.
    three.exchange(
        List.of(
            Batch.toEveryone(10, 16),
            Batch.toEveryone(10, 0),
            Batch.toEveryone(10, 1),
            Batch.toEveryone(10, 1_500),
            Batch.toEveryone(3, 60_000),
            Batch.toEveryone(3, 61_440),
            Batch.toEveryone(3, 61_441),
            Batch.toEveryone(3, 65_536),
            Batch.toEveryone(3, 122_881),
            Batch.toEveryone(1, 5_000_000)));
    for (String node : three.nodes()) {
      three.exchange(three.nodes(), List.of(node), List.of(Batch.toEveryone(1, 60_000_000)));
    }
    tidy = true;
  }

  @Test
  void shouldTransferAStateWhileMulticastsRun() {
    beginTidily();
    three
        .member("a")
        .execute(
            new MemberCommand.ProvideState(STATE_BYTES),
            MemberEvent.Done.class,
            GroupScenario.STEP);
    Map<String, Map<String, MemberEvent.Stream>> before = three.multicasts(three.nodes());

    three.startSending(three.nodes(), PER_SECOND);
    MemberEvent.StateFetched state =
        three
            .member("c")
            .execute(
                new MemberCommand.FetchState("a", GroupScenario.STEP.toMillis()),
                MemberEvent.StateFetched.class,
                GroupScenario.STEP);
    // JGroups delivers again what the state lacks of one's own with the next of one's own.
    three.awaitMoreOfEveryone();
    Map<String, MemberEvent.Sent> sent = three.stopSending(three.nodes());
    three.awaitLastOfEveryone();

    assertEquals(STATE_BYTES, state.bytes());
    three
        .multicasts(three.nodes())
        .forEach(
            (receiver, streams) ->
                streams.forEach(
                    (sender, stream) -> {
                      String which = receiver + " of " + sender + ": " + stream;
                      long first = before.get(sender).get(sender).next();
                      assertEquals(first + sent.get(sender).messages(), stream.next(), which);
                      assertEquals(0, stream.skipped() + stream.wrong(), which);
                      // Who fetches it may hear again what JGroups delivered while it was written.
                      assertTrue(receiver.equals("c") || stream.again() == 0, which);
                    }));
    tidy = true;
  }
}
