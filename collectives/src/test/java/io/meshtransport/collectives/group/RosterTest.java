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
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
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
    return new MemberArrival(spec, roster, new MemberNews(roster.mesh()));
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
        "group 'g' of 3 members [a, b, c]: only [a] came in time. Have the others join too, or allow more time. The mesh says that b (id-b) is PROCESS_GONE: its host refuses. The mesh knows no node 'c'.",
        timedOut(GroupSpec.named("g").members("a", "b", "c"), mesh));
    assertEquals(
        "group 'g' of 3 members: only [a] came in time. Have the others join too, or allow more time. The mesh says that b (id-b) is PROCESS_GONE: its host refuses. The mesh says that x (id-x) is STUCK: its host answers.",
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

  @Test
  void shouldSayWhoHasComeAndGivenUp() {
    AtomicReference<List<MeshNode>> nodes = new AtomicReference<>();
    nodes.set(
        List.of(
            new MeshNode(new Peer("b", "id-b"), 1, MeshNodeState.ALIVE, "", Set.of("group:g"))));
    Roster roster =
        new Roster(new MeshRendezvous(Fakes.mesh(new HashMap<>(), nodes::get), "g"), "a", 3);
    MemberArrival arrival = arrival(GroupSpec.named("g").size(3), roster);
    Deadline deadline =
        afterLooks(() -> nodes.set(List.of(node("b", MeshNodeState.ALIVE, ""))), () -> {});
    CollectiveException ended =
        assertThrows(CollectiveException.class, () -> arrival.await(deadline));
    assertEquals(
        "group 'g' of 3 members: only [a, b] came in time. Of these, [b] has left since. Have the others join too, or allow more time. b is in the mesh and has left this group.",
        ended.getMessage());
  }

  /** The two fail and leave; the third waits for as long as it was asked to. */
  @Test
  void shouldSayInItsTimeThatTwoNodesHadOneName() {
    AtomicReference<List<MeshNode>> nodes = new AtomicReference<>();
    nodes.set(
        List.of(
            new MeshNode(new Peer("b", "id-1"), 1, MeshNodeState.ALIVE, "", Set.of("group:g")),
            new MeshNode(new Peer("b", "id-2"), 1, MeshNodeState.ALIVE, "", Set.of())));
    Roster roster =
        new Roster(new MeshRendezvous(Fakes.mesh(new HashMap<>(), nodes::get), "g"), "a", 3);
    MemberArrival arrival = arrival(GroupSpec.named("g").size(3), roster);
    Deadline deadline = afterLooks(() -> nodes.set(List.of()), () -> {}, () -> {});
    CollectiveException late =
        assertThrows(CollectiveException.class, () -> arrival.await(deadline));
    assertEquals(Reason.TIMED_OUT, late.reason());
    assertEquals(
        "group 'g' of 3 members: only [a, b] came in time. Of these, [b] has left since. Have the others join too, or allow more time. This node has found while it waited, and it is so no longer: b: 2 nodes are named 'b': b (id-1); b (id-2). Give each a name of its own with MESH_NODE.",
        late.getMessage());
  }

  @Test
  void shouldSayWhichNodesShareANameAndWhereTheyAre() {
    MeshNode b = new MeshNode(new Peer("b", "id-b"), 1, MeshNodeState.ALIVE, "", Set.of("group:g"));
    MeshNode twin =
        new MeshNode(
            new Peer("a", "id-2"),
            1,
            MeshNodeState.ALIVE,
            "",
            Set.of("group:g"),
            List.of("to-a 10.77.1.1", "to-b 10.77.2.1"));
    Mesh mesh = Fakes.mesh(new HashMap<>(), () -> List.of(b, twin));
    MemberArrival arrival =
        arrival(GroupSpec.named("g").size(3), new Roster(new MeshRendezvous(mesh, "g"), "a", 3));
    CollectiveException doubled =
        assertThrows(
            CollectiveException.class, () -> arrival.await(Deadline.after(Duration.ofMinutes(1))));
    assertEquals(Reason.UNREACHABLE, doubled.reason());
    String text = doubled.getMessage();
    assertTrue(
        text.startsWith("group 'g': 2 nodes are named 'a': this node, a (1), on host "), text);
    assertTrue(
        text.endsWith(
            "; a (id-2) at to-a 10.77.1.1, to-b 10.77.2.1. Give each a name of its own with MESH_NODE."),
        text);
  }

  /** They fail for it too, and leave. */
  @Test
  void shouldNameANodeThatHasLeftSinceItWasCounted() {
    List<MeshNode> both =
        List.of(
            new MeshNode(new Peer("b", "id-1"), 1, MeshNodeState.ALIVE, "", Set.of("group:g")),
            new MeshNode(new Peer("b", "id-2"), 1, MeshNodeState.ALIVE, "", Set.of("group:g")));
    AtomicReference<List<MeshNode>> nodes = new AtomicReference<>(both);
    MemberNews news =
        new MemberNews(
            Optional.of(new MeshRendezvous(Fakes.mesh(new HashMap<>(), nodes::get), "g")));
    news.note(List.of("a", "b", "b"));
    nodes.set(List.of(both.get(1)));
    String text =
        "2 nodes are named 'b': b (id-1); b (id-2). Give each a name of its own with MESH_NODE.";
    assertEquals(text, news.doubled(List.of("a", "b", "b")));
    assertEquals(
        "2 members are named 'b'. Give each a name of its own with MESH_NODE.",
        new MemberNews(Optional.empty()).doubled(List.of("a", "b", "b")));
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
        "group 'g' of 3 members: only [a] came, and the thread was interrupted.",
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
