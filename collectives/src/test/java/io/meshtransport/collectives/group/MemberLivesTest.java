// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.collectives.CollectiveException;
import io.meshtransport.collectives.CollectiveException.Reason;
import io.meshtransport.spi.Mesh;
import io.meshtransport.spi.MeshEventListener;
import io.meshtransport.spi.MeshNode;
import io.meshtransport.spi.MeshNodeState;
import io.meshtransport.spi.Peer;
import io.meshtransport.spi.Transport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * {@link MemberLives} with {@link EndedLives}, and the {@link GroupJoin} that ends with one of
 * them.
 */
class MemberLivesTest {
  private static final GroupMembership ALL =
      new GroupMembership("g", "g+", 1, List.of("a", "b", "c"), 0);

  private List<MeshNode> nodes =
      List.of(node("b", 1, MeshNodeState.ALIVE), node("c", 1, MeshNodeState.ALIVE));

  private final List<MeshEventListener> listeners = new ArrayList<>();
  private final Mesh mesh = Fakes.mesh(new HashMap<>(), () -> nodes, listeners);
  private final MeshRendezvous rendezvous = new MeshRendezvous(mesh, "g");

  private static MeshNode node(String name, long life, MeshNodeState state) {
    String evidence = state == MeshNodeState.ALIVE ? "" : "a has said so";
    return new MeshNode(new Peer(name, name + life), life, state, evidence, Set.of());
  }

  private MemberLives lives() {
    return MemberLives.of(Optional.of(rendezvous), ALL, Map.of(1, new Peer("b", "b1")));
  }

  @Test
  void shouldWaitForMembersThatLiveOrMayComeBack() {
    MemberLives lives = lives();
    assertEquals(Optional.empty(), lives.over(ALL));
    nodes = List.of(node("b", 1, MeshNodeState.STUCK), node("c", 1, MeshNodeState.UNREACHABLE));
    assertEquals(Optional.empty(), lives.over(ALL));
    nodes = List.of(node("b", 1, MeshNodeState.NODE_GONE), node("c", 1, MeshNodeState.ALIVE));
    assertEquals(Optional.empty(), lives.over(ALL), "its cables may come back");
  }

  @Test
  void shouldNotWaitForALifeThatIsOverThoughTheNodeHasAnother() {
    MemberLives lives = lives();
    nodes =
        List.of(
            node("b", 1, MeshNodeState.ALIVE),
            node("c", 1, MeshNodeState.PROCESS_GONE),
            node("c", 2, MeshNodeState.ALIVE));
    Failure gone = lives.over(ALL).orElseThrow();
    assertEquals(Reason.RANK_LOST, gone.reason());
    assertEquals(2, gone.rank());
    assertEquals(
        "group 'g+' of 3 members [a, b, c]: rank 2 (c) cannot come back into it. The mesh says that c (c1) is PROCESS_GONE: a has said so. Join a new group of those that live (Group.join).",
        gone.text());
  }

  private void forgets(MeshNode node) {
    nodes = List.of(node("c", 1, MeshNodeState.ALIVE));
    listeners.forEach(each -> each.nodeRemoved(node));
  }

  @Test
  void shouldNotWaitForANodeThatHasLeft() {
    MemberLives lives = lives();
    forgets(node("b", 1, MeshNodeState.LEFT));
    Failure gone = lives.over(ALL).orElseThrow();
    assertEquals(1, gone.rank());
    assertEquals(
        "group 'g+' of 3 members [a, b, c]: rank 1 (b) cannot come back into it. The mesh says that b (b1) is LEFT: a has said so. Join a new group of those that live (Group.join).",
        gone.text());
  }

  @Test
  void shouldNotWaitForAProcessThatIsGoneOnceTheMeshForgetsIt() {
    MemberLives lives = lives();
    MeshNode gone = node("b", 1, MeshNodeState.PROCESS_GONE);
    listeners.forEach(each -> each.verdict(gone));
    forgets(gone);
    assertEquals(1, lives.over(ALL).orElseThrow().rank());
  }

  /** Behind a cut that nobody sees, a process lives on. */
  @Test
  void shouldWaitForANodeThatTheMeshForgetsForItsSilence() {
    MemberLives lives = lives();
    forgets(node("b", 1, MeshNodeState.UNREACHABLE));
    assertEquals(Optional.empty(), lives.over(ALL));
  }

  @Test
  void shouldWaitForANodeThatIsBackAfterItsEndWasTold() {
    MemberLives lives = lives();
    listeners.forEach(each -> each.verdict(node("b", 1, MeshNodeState.PROCESS_GONE)));
    assertEquals(Optional.empty(), lives.over(ALL), "the mesh knows better");
    listeners.forEach(each -> each.verdict(node("b", 1, MeshNodeState.ALIVE)));
    forgets(node("b", 1, MeshNodeState.ALIVE));
    assertEquals(Optional.empty(), lives.over(ALL));
  }

  @Test
  void shouldListenNoLongerOnceItIsClosed() {
    MemberLives lives = lives();
    assertEquals(1, listeners.size());
    lives.close();
    assertEquals(List.of(), listeners);
  }

  @Test
  void shouldCountTheRanksOfTheGroupToBe() {
    GroupMembership rest = new GroupMembership("g", "g-1", 1, List.of("a", "c"), 0);
    MemberLives left = lives().of(List.of(0, 2));
    nodes = List.of(node("b", 1, MeshNodeState.LEFT), node("c", 1, MeshNodeState.ALIVE));
    assertEquals(Optional.empty(), left.over(rest), "b is not to come");
    nodes = List.of(node("b", 1, MeshNodeState.ALIVE), node("c", 1, MeshNodeState.LEFT));
    assertEquals(1, left.over(rest).orElseThrow().rank());
  }

  @Test
  void shouldAwaitAnyLifeWhereAGroupIsJoinedFirst() {
    nodes = List.of(node("b", 1, MeshNodeState.PROCESS_GONE));
    assertEquals(Optional.empty(), MemberLives.ANY.over(ALL));
    assertEquals(
        Optional.empty(), MemberLives.of(Optional.empty(), ALL, Map.of()).over(ALL), "no mesh");
  }

  @Test
  void shouldEndJoiningAtTheVerdict() throws Exception {
    try (Transport transport = LoopbackGroup.transport(0, List.of(1))) {
      Reception reception =
          Reception.open(transport, new Roster(rendezvous, "a", 3), MeshGroup.OPTIONS.unlisted());
      MemberLives lives = lives();
      nodes = List.of(node("b", 1, MeshNodeState.ALIVE), node("c", 1, MeshNodeState.LEFT));
      CollectiveException lost =
          assertThrows(
              CollectiveException.class,
              () ->
                  MeshGroup.join(
                      reception,
                      ALL,
                      lives,
                      new MemberNews(reception.mesh()),
                      new JoinLog(ALL.spec(), System::nanoTime),
                      Deadline.after(LoopbackGroup.SOON)));
      assertEquals(Reason.RANK_LOST, lost.reason(), lost.getMessage());
      assertEquals("c", lost.node());
    }
  }

  /** Started again in time, it takes part; the text has to say that this one did not come. */
  @Test
  void shouldSayOfAMemberThatLeftBeforeItWasConnectedWhenItWasThere() throws Exception {
    try (Transport transport = LoopbackGroup.transport(0, List.of(1))) {
      Reception reception =
          Reception.open(transport, new Roster(rendezvous, "a", 3), MeshGroup.OPTIONS.unlisted());
      MemberNews news = new MemberNews(reception.mesh());
      news.note(List.of("a", "b", "c"));
      nodes = List.of(node("b", 1, MeshNodeState.ALIVE));
      CollectiveException late;
      try (JoinLines lines = new JoinLines("mine")) {
        JoinLog log = new JoinLog("mine", System::nanoTime);
        log.present(List.of("a", "b", "c"));
        late =
            assertThrows(
                CollectiveException.class,
                () ->
                    MeshGroup.join(
                        reception,
                        ALL,
                        MemberLives.ANY,
                        news,
                        log,
                        Deadline.after(Duration.ofMillis(300))));
        assertEquals(
            List.of("INFO mine: 3 are there: [a, b, c]", "INFO mine: 1 is there: [a]"),
            lines.get());
      }
      assertEquals(Reason.TIMED_OUT, late.reason());
      String text = late.getMessage();
      assertTrue(text.contains(" b came, and gave up waiting or closed the group "), text);
      assertTrue(text.contains(" c came, and was last there "), text);
      assertTrue(text.endsWith(" Have [b, c] join again, and wait for longer."), text);
    }
  }
}
