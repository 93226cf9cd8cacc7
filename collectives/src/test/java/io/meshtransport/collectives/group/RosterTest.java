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

  private static String timedOut(GroupSpec spec, Mesh mesh) {
    Roster roster = new Roster(new MeshRendezvous(mesh, "g"), "a", 3);
    MemberArrival arrival = new MemberArrival(spec, roster);
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
        "group 'g' of 3 members [a, b, c]: only [a] have come in time. Have the others join too, or allow more time. The mesh says that b (id-b) is PROCESS_GONE: its host refuses. The mesh knows no node 'c'.",
        timedOut(GroupSpec.named("g").members("a", "b", "c"), mesh));
    assertEquals(
        "group 'g' of 3 members: only [a] have come in time. Have the others join too, or allow more time. The mesh says that b (id-b) is PROCESS_GONE: its host refuses. The mesh says that x (id-x) is STUCK: its host answers.",
        timedOut(GroupSpec.named("g").size(3), mesh));
  }

  @Test
  void shouldSayWhoHasComeAndGivenUp() {
    AtomicInteger looks = new AtomicInteger();
    Mesh mesh =
        Fakes.mesh(
            new HashMap<>(),
            () -> {
              if (looks.incrementAndGet() == 1) {
                return List.of(
                    new MeshNode(
                        new Peer("b", "id-b"), 1, MeshNodeState.ALIVE, "", Set.of("group:g")));
              }
              Thread.currentThread().interrupt();
              return List.of();
            });
    Roster roster = new Roster(new MeshRendezvous(mesh, "g"), "a", 3);
    MemberArrival arrival = new MemberArrival(GroupSpec.named("g").size(3), roster);
    CollectiveException ended =
        assertThrows(
            CollectiveException.class, () -> arrival.await(Deadline.after(Duration.ofMinutes(1))));
    assertTrue(Thread.interrupted());
    assertEquals(
        "group 'g' of 3 members: only [a, b] have come, and the thread was interrupted. Of these, [b] has left since.",
        ended.getMessage());
  }

  @Test
  void shouldRefuseMoreMembersThanTheGroupHas() {
    for (String each : List.of("a", "b", "c")) {
      new Roster(rendezvous, each, 2).publish(new byte[] {1});
    }
    MemberArrival arrival = new MemberArrival(GroupSpec.named("g").size(2), one);
    CollectiveException refused =
        assertThrows(
            CollectiveException.class, () -> arrival.await(Deadline.after(Duration.ofMinutes(1))));
    assertEquals(Reason.MISMATCH, refused.reason());
  }
}
