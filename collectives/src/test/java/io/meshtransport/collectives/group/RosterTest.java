// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.collectives.CollectiveException;
import io.meshtransport.collectives.CollectiveException.Reason;
import io.meshtransport.collectives.GroupSpec;
import io.meshtransport.collectives.Rendezvous;
import io.meshtransport.config.VerdictDelay;
import io.meshtransport.spi.Mesh;
import io.meshtransport.spi.MeshNode;
import io.meshtransport.spi.MeshNodeState;
import io.meshtransport.spi.Peer;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;

/** {@link Roster}, and the {@link MemberArrival} that waits for what it shows. */
class RosterTest {
  private final Rendezvous rendezvous = Rendezvous.inProcess();
  private final Roster one = new Roster(rendezvous, "a", 2);
  private final Roster other = new Roster(rendezvous, "b", 3);

  @Test
  void shouldShowWhoHasComeAndNotLeft() {
    one.publish(new byte[] {7, 8});
    other.publish(new byte[] {9});
    assertEquals(List.of("a", "b"), one.present().stream().sorted().toList());
    assertArrayEquals(new byte[] {7, 8}, other.handle("a").orElseThrow());
    one.leave();
    assertEquals(List.of("b"), other.present());
    assertEquals(Optional.empty(), other.handle("a"));
    assertEquals(List.of(), other.mismatches(List.of("a")));
  }

  /** A program joins anew, and closes the group that has failed. */
  @Test
  void shouldLeaveWhatTheSameMemberHasPublishedSince() {
    one.publish(new byte[] {7});
    Roster anew = new Roster(rendezvous, "a", 2);
    anew.publish(new byte[] {8});
    one.leave();
    assertArrayEquals(new byte[] {8}, other.handle("a").orElseThrow());
    anew.leave();
    assertEquals(Optional.empty(), other.handle("a"));
  }

  @Test
  void shouldWithdrawFromAMeshWhatIsItsOwn() {
    Map<String, byte[]> services = new HashMap<>();
    Mesh mesh = Fakes.mesh(services);
    Roster first = new Roster(new MeshRendezvous(mesh, "g"), "a", 2);
    Roster anew = new Roster(new MeshRendezvous(mesh, "g"), "a", 2);
    first.publish(new byte[] {7});
    anew.publish(new byte[] {8});
    first.leave();
    assertArrayEquals(new byte[] {8}, anew.handle("a").orElseThrow());
    anew.leave();
    assertEquals(Map.of(), services);
  }

  @Test
  void shouldNotCloseARendezvousOfTheProgram() {
    class Closeable implements Rendezvous, AutoCloseable {
      private boolean isClosed;

      @Override
      public void publish(String member, byte[] handle) {
        rendezvous.publish(member, handle);
      }

      @Override
      public List<String> members() {
        return rendezvous.members();
      }

      @Override
      public Optional<byte[]> handle(String member) {
        return rendezvous.handle(member);
      }

      @Override
      public void close() {
        isClosed = true;
      }
    }

    Closeable ofProgram = new Closeable();
    Roster roster = new Roster(ofProgram, "a", 2);
    roster.publish(new byte[] {7});
    roster.leave();
    assertFalse(ofProgram.isClosed);
    assertEquals(Optional.empty(), other.handle("a"));
  }

  @Test
  void shouldSayWhoExpectsAnotherNumberOfMembers() {
    one.publish(new byte[] {7});
    other.publish(new byte[] {9});
    assertEquals(List.of("b joins 3"), one.mismatches(List.of("a", "b")));
    assertEquals(List.of("a joins 2"), other.mismatches(List.of("a", "b")));
  }

  private static MeshNode node(String name, MeshNodeState state, String evidence) {
    return new MeshNode(new Peer(name, "id-" + name), 1, state, evidence, Set.of());
  }

  private static MemberArrival arrival(GroupSpec spec, Roster roster) {
    return new MemberArrival(
        spec, roster, new MemberNews(roster.mesh()), new JoinLog("g", System::nanoTime));
  }

  private static String timedOut(GroupSpec spec, Mesh mesh) {
    MemberArrival arrival = arrival(spec, new Roster(new MeshRendezvous(mesh, "g"), "a", 3));
    CollectiveException late =
        assertThrows(CollectiveException.class, () -> arrival.await(Deadline.after(Duration.ZERO)));
    assertEquals(Reason.TIMED_OUT, late.reason());
    return late.getMessage();
  }

  @Test
  void shouldSayWhatTheMeshKnowsOfThoseThatHaveNotCome() {
    Mesh mesh =
        Fakes.mesh(
            new HashMap<>(),
            () ->
                List.of(
                    node("b", MeshNodeState.PROCESS_GONE, "its host refuses"),
                    node("x", MeshNodeState.STUCK, "its host answers")));
    assertEquals(
        "group 'g' of 3 members [a, b, c]: only [a] came in time. The mesh says that b (id-b) is PROCESS_GONE: its host refuses. The mesh knows no node 'c'. Start [b, c], or mend the cables that lead there.",
        timedOut(GroupSpec.named("g").members("a", "b", "c"), mesh));
    assertEquals(
        "group 'g' of 3 members: only [a] came in time. The mesh says that b (id-b) is PROCESS_GONE: its host refuses. The mesh says that x (id-x) is STUCK: its host answers. Have the others join too, or allow more time.",
        timedOut(GroupSpec.named("g").size(3), mesh));
  }

  /** A clock that the last look at it takes past the deadline, with what happens before each. */
  private static Deadline afterLooks(Runnable... before) {
    AtomicInteger looks = new AtomicInteger();
    return new Deadline(
        before.length,
        () -> {
          int look = looks.getAndIncrement();
          before[look].run();
          return look + 1;
        });
  }

  /**
   * Of a group of three, whose members come and go as the runs before each look at the clock do.
   */
  private static CollectiveException failure(
      AtomicReference<List<MeshNode>> nodes, LongSupplier clock, Runnable... beforeLooks) {
    Mesh mesh = Fakes.mesh(new HashMap<>(), nodes::get);
    Roster roster = new Roster(new MeshRendezvous(mesh, "g"), "a", 3);
    MemberArrival arrival =
        new MemberArrival(
            GroupSpec.named("g").size(3),
            roster,
            new MemberNews(roster.mesh(), clock),
            new JoinLog("g", clock));
    return assertThrows(CollectiveException.class, () -> arrival.await(afterLooks(beforeLooks)));
  }

  private static MeshNode member(String name, String id, String... interfaces) {
    return new MeshNode(
        new Peer(name, id), 1, MeshNodeState.ALIVE, "", Set.of("group:g"), List.of(interfaces));
  }

  @Test
  void shouldSayWhoHasComeAndGivenUp() {
    AtomicReference<List<MeshNode>> nodes = new AtomicReference<>(List.of(member("b", "id-b")));
    CollectiveException ended =
        failure(
            nodes, () -> 0, () -> nodes.set(List.of(node("b", MeshNodeState.ALIVE, ""))), () -> {});
    assertEquals(Reason.TIMED_OUT, ended.reason());
    assertEquals(
        "group 'g' of 3 members: only [a, b] came in time. b came, and gave up waiting or closed the group 0.0 s ago; its node is in the mesh. Have the others join too, or allow more time. Have [b] join again, and wait for longer.",
        ended.getMessage());
  }

  private static final String STILL_DOUBLED =
      "Several nodes have one name, and a verdict on one of them may come yet. This node finds: b: 2 nodes are named 'b': b (id-1); b (id-2). Give each a name of its own with MESH_NODE. ";

  @Test
  void shouldSayInItsTimeThatANameIsDoubledThoughAllAreThere() {
    AtomicReference<List<MeshNode>> nodes =
        new AtomicReference<>(
            List.of(member("b", "id-1"), member("b", "id-2"), member("c", "id-c")));
    CollectiveException late = failure(nodes, () -> 0, () -> {}, () -> {});
    assertEquals(Reason.TIMED_OUT, late.reason());
    assertEquals(
        "group 'g' of 3 members: " + STILL_DOUBLED + "[a, b, c] came in time.", late.getMessage());
  }

  @Test
  void shouldWarnWhileItWaitsThatANameIsDoubledThoughAllAreThere() {
    AtomicReference<List<MeshNode>> nodes = new AtomicReference<>(List.of(member("b", "id-1")));
    AtomicLong nowNs = new AtomicLong();
    Runnable come =
        () -> {
          nodes.set(List.of(member("b", "id-1"), member("b", "id-2"), member("c", "id-c")));
          nowNs.set(JoinLog.FIRST_NS);
        };
    Runnable pass = () -> nowNs.addAndGet(JoinLog.MAX_PAUSE_NS);
    try (JoinLines lines = new JoinLines("g")) {
      CollectiveException doubled = failure(nodes, nowNs::get, come, pass, () -> {}, () -> {});
      assertEquals(Reason.CONFIGURATION, doubled.reason());
      List<String> warnings = lines.get().stream().filter(each -> each.startsWith("WARN")).toList();
      assertEquals("WARN g: " + STILL_DOUBLED + "All are there: [a, b, c].", warnings.get(1));
    }
  }

  /** Which more than its number have come to, and one of them expects another number. */
  @Test
  void shouldNameAnotherNumberOfMembersWhereAllAreThere() {
    one.publish(new byte[] {7});
    other.publish(new byte[] {9});
    new Roster(rendezvous, "c", 3).publish(new byte[] {9});
    MemberArrival arrival = arrival(GroupSpec.named("g").size(2), one);
    CollectiveException late =
        assertThrows(CollectiveException.class, () -> arrival.await(Deadline.after(Duration.ZERO)));
    assertEquals(Reason.TIMED_OUT, late.reason());
    assertEquals(
        "group 'g' of 2 members: a joins a group of 2 members, and of the others b joins 3, c joins 3. Give all the same. [a, b, c] came in time.",
        late.getMessage());
  }

  /** Seen together for a moment, they may be one node that was started again. */
  @Test
  void shouldSayInItsTimeThatTwoNodesHadOneName() {
    AtomicReference<List<MeshNode>> nodes =
        new AtomicReference<>(List.of(member("b", "id-1"), member("b", "id-2")));
    CollectiveException late = failure(nodes, () -> 0, () -> nodes.set(List.of()), () -> {});
    assertEquals(Reason.TIMED_OUT, late.reason());
    assertEquals(
        "group 'g' of 3 members: This node found while it waited, and no longer does: b: 2 nodes are named 'b': b (id-1); b (id-2). Give each a name of its own with MESH_NODE. Only [a, b] came in time. b came, and was last there 0.0 s ago: it has given up waiting, or its program has ended.",
        late.getMessage());
  }

  @Test
  void shouldFailForTwoNodesOfOneNameOnceNoVerdictComes() {
    AtomicReference<List<MeshNode>> nodes =
        new AtomicReference<>(List.of(member("b", "id-1"), member("b", "id-2")));
    AtomicLong nowNs = new AtomicLong();
    CollectiveException doubled =
        failure(nodes, nowNs::get, () -> nowNs.set(VerdictDelay.MAX_NS), () -> {}, () -> {});
    assertEquals(Reason.CONFIGURATION, doubled.reason());
    assertEquals(
        "group 'g': 2 nodes are named 'b': b (id-1); b (id-2). Give each a name of its own with MESH_NODE.",
        doubled.getMessage());
  }

  /** A node that is started again has its earlier life beside it until that is judged. */
  @Test
  void shouldGoOnWhereOneOfTwoNodesIsTheEarlierLifeOfTheOther() throws Exception {
    MeshNode next = member("b", "id-2");
    AtomicReference<List<MeshNode>> nodes =
        new AtomicReference<>(List.of(member("b", "id-1"), next));
    Roster roster =
        new Roster(new MeshRendezvous(Fakes.mesh(new HashMap<>(), nodes::get), "g"), "a", 2);
    MemberArrival arrival =
        new MemberArrival(
            GroupSpec.named("g").size(2),
            roster,
            new MemberNews(roster.mesh(), () -> 0),
            new JoinLog("g", () -> 0));
    MeshNode gone =
        new MeshNode(new Peer("b", "id-1"), 1, MeshNodeState.PROCESS_GONE, "", Set.of());
    assertEquals(
        List.of("a", "b"),
        arrival.await(afterLooks(() -> nodes.set(List.of(gone, next)), () -> {})));
  }

  /** The two that came before have failed for each other, and leave. */
  @Test
  void shouldFailForThisNodesNameThoughTheOtherLeaves() {
    MeshNode twin = member("a", "id-2", "to-a 10.77.1.1");
    MeshNode b = member("b", "id-b");
    AtomicReference<List<MeshNode>> nodes = new AtomicReference<>(List.of(b, twin));
    AtomicLong nowNs = new AtomicLong();
    Runnable leave =
        () -> {
          nodes.set(List.of(b));
          nowNs.set(TimeUnit.SECONDS.toNanos(1));
        };
    CollectiveException doubled = failure(nodes, nowNs::get, leave, () -> {}, () -> {});
    assertEquals(Reason.CONFIGURATION, doubled.reason());
    String text = doubled.getMessage();
    assertTrue(
        text.startsWith("group 'g': 2 nodes are named 'a': this node, a (1), on host "), text);
    assertTrue(
        text.endsWith("; a (id-2) at to-a 10.77.1.1. Give each a name of its own with MESH_NODE."),
        text);
  }

  @Test
  void shouldWarnWhileItWaitsOfWhoIsMissingAndWhy() {
    AtomicReference<List<MeshNode>> nodes =
        new AtomicReference<>(List.of(node("b", MeshNodeState.ALIVE, "")));
    AtomicLong nowNs = new AtomicLong();
    Runnable late = () -> nowNs.addAndGet(JoinLog.FIRST_NS);
    try (JoinLines lines = new JoinLines("g")) {
      failure(nodes, nowNs::get, late, () -> {}, () -> {});
      assertEquals(
          List.of(
              "INFO g: 1 is there: [a]",
              "WARN g: waits for 2 more; only a is there. b is in the mesh and has not joined this group. Have the others join too, or allow more time."),
          lines.get());
    }
  }

  /** In the log, while it waits, and in the text of the failure. */
  @Test
  void shouldNameMembersInTheOrderOfTheGroup() {
    List<MeshNode> nodes = List.of(member("b", "id-b"), member("e", "id-e"));
    Roster roster =
        new Roster(new MeshRendezvous(Fakes.mesh(new HashMap<>(), () -> nodes), "g"), "a", 5);
    AtomicLong nowNs = new AtomicLong();
    try (JoinLines lines = new JoinLines("g")) {
      MemberArrival arrival =
          new MemberArrival(
              GroupSpec.named("g").members("e", "d", "b", "c", "a"),
              roster,
              new MemberNews(roster.mesh(), nowNs::get),
              new JoinLog("g", nowNs::get));
      Runnable late = () -> nowNs.addAndGet(JoinLog.FIRST_NS);
      CollectiveException ended =
          assertThrows(
              CollectiveException.class, () -> arrival.await(afterLooks(late, () -> {}, () -> {})));
      String missing =
          " The mesh knows no node 'd'. The mesh knows no node 'c'. Start [d, c], or mend the cables that lead there.";
      assertEquals(
          List.of(
              "INFO g: 3 are there: [e, b, a]",
              "WARN g: waits for [d, c]; [e, b, a] are there." + missing),
          lines.get());
      assertEquals(
          "group 'g' of 5 members [e, d, b, c, a]: only [e, b, a] came in time." + missing,
          ended.getMessage());
    }
  }

  @Test
  void shouldFailAtOnceForTwoMembersOfOneNameWithoutAMesh() {
    Rendezvous twins =
        Fakes.of(
            Rendezvous.class,
            (proxy, method, arguments) ->
                method.getName().equals("members") ? List.of("a", "b", "b") : Optional.empty());
    MemberArrival arrival = arrival(GroupSpec.named("g").size(3), new Roster(twins, "a", 3));
    CollectiveException doubled =
        assertThrows(
            CollectiveException.class, () -> arrival.await(Deadline.after(Duration.ofMinutes(1))));
    assertEquals(Reason.CONFIGURATION, doubled.reason());
    assertEquals(
        "group 'g': 2 members are named 'b'. Give each a name of its own with MESH_NODE.",
        doubled.getMessage());
  }

  @Test
  void shouldSayThatItWasInterrupted() {
    Roster roster = new Roster(new MeshRendezvous(Fakes.mesh(new HashMap<>()), "g"), "a", 3);
    MemberArrival arrival = arrival(GroupSpec.named("g").size(3), roster);
    Thread.currentThread().interrupt();
    CollectiveException ended =
        assertThrows(
            CollectiveException.class, () -> arrival.await(Deadline.after(Duration.ofMinutes(1))));
    assertTrue(Thread.interrupted());
    assertEquals(Reason.INTERRUPTED, ended.reason());
    assertEquals(
        "group 'g' of 3 members: This node hears no other, and eth2 has no carrier: plug the cable in, or start the others, or let firewalls pass UDP and TCP port 4793 (MESH_NEIGHBOUR_PORT sets another, the same on all nodes). Only [a] came, and the thread was interrupted.",
        ended.getMessage());
  }

  @Test
  void shouldRefuseMoreMembersThanTheGroupHas() {
    for (String each : List.of("a", "b", "c")) {
      new Roster(rendezvous, each, 2).publish(new byte[] {1});
    }
    MemberArrival arrival = arrival(GroupSpec.named("g").size(2), one);
    CollectiveException refused =
        assertThrows(
            CollectiveException.class, () -> arrival.await(Deadline.after(Duration.ofMinutes(1))));
    assertEquals(Reason.MISMATCH, refused.reason());
  }
}
