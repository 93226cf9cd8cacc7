// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.topology.Fabric;
import io.meshtransport.topology.RequiresNamespaces;
import io.meshtransport.topology.Topologies;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Infinispan over MESH, while one of three members dies and comes back.
 *
 * <p>Also tests {@link EntryCheck}.
 */
@RequiresNamespaces
class MeshCachesTest {
  private static final int OWNERS = 2;
  private static final Entries ENTRIES = new Entries(GroupScenario.SEED, 500, 1024, 16 * 1024);

  /** Only so that the test is short: as long as infinispan-mesh.xml has it, all waits longer. */
  private static final Map<String, String> QUICK =
      Map.of(
          "jgroups.mesh.fd_timeout", "1500",
          "jgroups.mesh.fd_interval", "300",
          "jgroups.mesh.verify_timeout", "500");

  @Test
  void shouldLoseNoEntryToAKillAndGiveWhoComesBackItsShare() {
    try (GroupScenario three =
        GroupScenario.on(
            Fabric.namespaces(Topologies.TRIANGLE),
            fabric -> GroupStack.mesh("infinispan-mesh.xml", fabric.topology()).with(node -> QUICK),
            GroupScenario.JVM)) {
      three.group().start(three.nodes());
      three.group().startCaches(three.nodes(), GroupScenario.STEP);
      three.awaitCaches(three.nodes());
      put(three, MemberCaches.DISTRIBUTED);

      List<String> survivors = List.of("a", "b");
      // The member dies while entries are in flight to it.
      three.member("a").send(new MemberCommand.Put(MemberCaches.REPLICATED, ENTRIES));
      three.group().kill("c");
      three.member("a").awaitEvent(MemberEvent.Stored.class, GroupScenario.STEP);
      three.awaitCaches(survivors);
      assertAllRight(three, survivors);
      awaitCopies(three, survivors);

      three.group().start(List.of("c"));
      three.group().startCaches(List.of("c"), GroupScenario.STEP);
      three.awaitCaches(three.nodes());
      assertAllRight(three, three.nodes());
      awaitCopies(three, three.nodes());
      assertEquals(ENTRIES.count(), localEntries(three, "c", MemberCaches.REPLICATED).right());
      assertTrue(
          localEntries(three, "c", MemberCaches.DISTRIBUTED).right() > 0, "c has got no share");
    }
  }

  private static void put(GroupScenario three, String cache) {
    three
        .member("a")
        .execute(
            new MemberCommand.Put(cache, ENTRIES), MemberEvent.Stored.class, GroupScenario.STEP);
  }

  /** Each member reads every entry of both caches, wherever it is, and every byte is right. */
  private static void assertAllRight(GroupScenario three, Collection<String> members) {
    for (String cache : MemberCaches.NAMES) {
      three
          .group()
          .execute(
              members,
              member -> new MemberCommand.Check(cache, ENTRIES, false),
              MemberEvent.Checked.class,
              GroupScenario.STEP)
          .forEach(
              (member, checked) ->
                  assertEquals(
                      ENTRIES.count(), checked.right(), member + ", " + cache + ": " + checked));
    }
  }

  private static MemberEvent.Checked localEntries(
      GroupScenario three, String member, String cache) {
    return three
        .member(member)
        .execute(
            new MemberCommand.Check(cache, ENTRIES, true),
            MemberEvent.Checked.class,
            GroupScenario.STEP);
  }

  /** Waits until the distributed cache has as many copies of each entry as it should. */
  private static void awaitCopies(GroupScenario three, Collection<String> members) {
    RunningGroup.await(
        GroupScenario.STEP,
        () -> {
          long copies =
              members.stream()
                  .mapToLong(
                      member -> localEntries(three, member, MemberCaches.DISTRIBUTED).right())
                  .sum();
          return copies == (long) OWNERS * ENTRIES.count() ? "" : copies + " copies";
        });
  }
}
