// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.jgroups.demo.MemberCommand.Batch;
import io.meshtransport.topology.Fabric;
import io.meshtransport.topology.NodeFailure;
import io.meshtransport.topology.RequiresNamespaces;
import io.meshtransport.topology.Topologies;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Members and their harness, whole, over JGroups' own TCP: with one address per node it works.
 *
 * <p>Also tests {@link GroupMember}, {@link Member}, {@link MemberLog} and {@link MemberProgram}.
 */
@RequiresNamespaces
class RunningGroupTest {
  private static final Duration LIMIT = GroupScenario.STEP;
  private static final Entries ENTRIES = new Entries(5, 200, 1024, 4096);

  private static GroupScenario triangle() {
    Fabric fabric = Fabric.namespaces(Topologies.TRIANGLE);
    return GroupScenario.on(
        fabric,
        routed -> {
          RoutedAddresses.configure(routed);
          return RoutedAddresses.stack(routed);
        },
        GroupScenario.JVM);
  }

  @Test
  void shouldTalkFetchStateLeaveAndComeBack() {
    try (GroupScenario scenario = triangle()) {
      RunningGroup group = scenario.group();
      group.startAll(LIMIT);
      List<String> all = scenario.nodes();

      List<Batch> batches =
          List.of(Batch.toEveryone(20, 0), Batch.toEveryone(20, 1), Batch.toEveryone(20, 100_000));
      group.execute(all, node -> new MemberCommand.Send(batches, 0), MemberEvent.Sent.class, LIMIT);
      group
          .member("a")
          .execute(
              new MemberCommand.Send(List.of(new Batch("b", 10, 15), new Batch("b", 10, 16)), 100),
              MemberEvent.Sent.class,
              LIMIT);
      group.awaitReceived(all, 60, 0, LIMIT);
      group.awaitReceived(List.of("b"), 60, 0, LIMIT);
      for (String node : all) {
        MemberEvent.Received received = group.member(node).received();
        assertEquals(all, received.senders().stream().map(MemberEvent.ReceivedFrom::name).toList());
        assertTrue(
            received.senders().stream().allMatch(MemberEvent.ReceivedFrom::hasNoFlaw),
            received.toString());
      }
      RunningGroup.await(
          LIMIT,
          () ->
              group.member("b").received().senders().get(0).unicasts().count() == 20
                  ? ""
                  : "unicasts of a to b");

      group
          .member("a")
          .execute(new MemberCommand.ProvideState(3_000_001), MemberEvent.Done.class, LIMIT);
      MemberEvent.StateFetched state =
          group
              .member("c")
              .execute(
                  new MemberCommand.FetchState("a", LIMIT.toMillis()),
                  MemberEvent.StateFetched.class,
                  LIMIT);
      assertEquals(3_000_001, state.bytes());

      group.member("b").execute(new MemberCommand.Leave(), MemberEvent.Done.class, LIMIT);
      group.awaitView(List.of("a", "c"), LIMIT);
      group.kill("c");
      group.start(List.of("c"));
      group.join(List.of("b", "c"), LIMIT);
      group.awaitView(all, LIMIT);
      assertThrows(
          NodeFailure.class,
          () ->
              group
                  .member("c")
                  .execute(
                      new MemberCommand.Send(List.of(new Batch("x", 1, 1)), 0),
                      MemberEvent.Sent.class,
                      LIMIT));
    }
  }

  @Test
  @EnabledIfSystemProperty(
      named = "mesh.test.long",
      matches = "true",
      disabledReason = "MeshCachesTest does it over MESH; -Dmesh.test.long=true runs both")
  void shouldKeepEntriesInBothCaches() {
    try (GroupScenario scenario = triangle()) {
      RunningGroup group = scenario.group();
      List<String> all = scenario.nodes();
      group.start(all);
      group.startCaches(all, LIMIT);
      for (String cache : MemberCaches.NAMES) {
        group
            .member("a")
            .execute(new MemberCommand.Put(cache, ENTRIES), MemberEvent.Stored.class, LIMIT);
        group
            .execute(
                all,
                node -> new MemberCommand.Check(cache, ENTRIES, false),
                MemberEvent.Checked.class,
                LIMIT)
            .values()
            .forEach(checked -> assertEquals(ENTRIES.count(), checked.right(), checked.toString()));
      }
      MemberEvent.Checked held =
          group
              .member("b")
              .execute(
                  new MemberCommand.Check(MemberCaches.DISTRIBUTED, ENTRIES, true),
                  MemberEvent.Checked.class,
                  LIMIT);
      assertTrue(held.right() > 0 && held.missing() > 0, held.toString());
      MemberEvent.Checked foreign =
          group
              .member("b")
              .execute(
                  new MemberCommand.Check(
                      MemberCaches.REPLICATED, new Entries(6, 200, 1024, 4096), false),
                  MemberEvent.Checked.class,
                  LIMIT);
      assertEquals(ENTRIES.count(), foreign.wrong(), foreign.toString());
    }
  }
}
