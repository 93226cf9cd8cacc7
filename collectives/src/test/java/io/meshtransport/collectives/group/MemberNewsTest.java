// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.spi.Mesh;
import io.meshtransport.spi.MeshFinding;
import io.meshtransport.spi.MeshNode;
import io.meshtransport.spi.MeshNodeState;
import io.meshtransport.spi.Peer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** {@link MemberNews} of node {@code a}, for a group {@code g}. */
class MemberNewsTest {
  private static final MeshFinding SECRET =
      new MeshFinding("OTHER_SECRET", "eth1", "It has another secret.", "Set the same.");

  private List<MeshNode> nodes = List.of();
  private List<MeshFinding> findings = List.of();
  private final Mesh mesh =
      Fakes.mesh(new HashMap<>(), () -> nodes, new ArrayList<>(), () -> findings);
  private final MemberNews news = new MemberNews(Optional.of(new MeshRendezvous(mesh, "g")));

  private static MeshNode node(
      String name, long incarnation, MeshNodeState state, String... services) {
    Peer peer = new Peer(name, "id-" + name + incarnation);
    String evidence = state == MeshNodeState.ALIVE ? "" : "c has said so";
    return new MeshNode(peer, incarnation, state, evidence, Set.of(services));
  }

  @Test
  void shouldSayNothingOfMembersThatLive() {
    nodes =
        List.of(
            node("b", 1, MeshNodeState.PROCESS_GONE),
            node("b", 2, MeshNodeState.ALIVE, "group:g"),
            node("x", 1, MeshNodeState.NODE_GONE));
    assertEquals("", news.of(List.of("b")));
  }

  @Test
  void shouldSayNothingWithoutAMesh() {
    MemberNews none = new MemberNews(Optional.empty());
    none.note(List.of("b"));
    assertEquals(Set.of("b"), none.came());
    assertEquals("", none.of(List.of("b", "c")));
  }

  @Test
  void shouldSayWhichMemberIsGoneOrOutOfReach() {
    nodes =
        List.of(
            node("b", 1, MeshNodeState.PROCESS_GONE),
            node("b", 2, MeshNodeState.NODE_GONE),
            node("c", 1, MeshNodeState.STUCK));
    assertEquals(
        " The mesh says that %s is NODE_GONE: c has said so. The mesh says that %s is STUCK: c has said so. The mesh knows no node 'd'."
            .formatted(nodes.get(1).peer(), nodes.get(2).peer()),
        news.of(List.of("b", "c", "d")));
  }

  @Test
  void shouldTellNodesThatHaveNotJoinedFromThoseThatAreNotThere() {
    nodes =
        List.of(
            node("b", 1, MeshNodeState.ALIVE),
            node("c", 1, MeshNodeState.ALIVE, "group:sums", "session"),
            node("d", 1, MeshNodeState.ALIVE));
    news.note(List.of("a", "d"));
    assertEquals(
        " b is in the mesh and has not joined this group."
            + " c is in the mesh and has not joined this group; it is in 'sums'."
            + " d is in the mesh and has left this group."
            + " The mesh knows no node 'e'.",
        news.of(List.of("b", "c", "d", "e")));
  }

  @Test
  void shouldSayThatANameIsDoubled() {
    nodes = List.of(node("b", 1, MeshNodeState.ALIVE), node("b", 2, MeshNodeState.UNREACHABLE));
    assertEquals(
        " 2 nodes are named 'b': id-b1, id-b2. Give each a name of its own with MESH_NODE.",
        news.of(List.of("b")));
  }

  @Test
  void shouldSayWhatTheNodeHasFoundUnlessItIsAMembersName() {
    nodes = List.of(node("b", 1, MeshNodeState.ALIVE), node("b", 2, MeshNodeState.ALIVE));
    findings =
        List.of(
            SECRET, new MeshFinding("DUPLICATE_NAME", "b", "2 nodes have the name b.", "Set it."));
    assertEquals(
        " 2 nodes are named 'b': id-b1, id-b2. Give each a name of its own with MESH_NODE."
            + " This node has found, and it is so still: eth1: It has another secret. Set the same.",
        news.of(List.of("b")));
  }

  @Test
  void shouldSayWhatWasFoundSinceTheJoinBeganAndIsSoNoLonger() {
    findings = List.of(SECRET);
    news.note(List.of("a"));
    findings = List.of();
    news.note(List.of("a"));
    assertEquals(
        " This node has found while it waited, and it is so no longer: eth1: It has another secret. Set the same.",
        news.of(List.of()));
  }

  /** Before the mesh, which looks once a second, has found it. */
  @Test
  void shouldSayThatNodesOfOneNameWereThereThatHaveLeft() {
    nodes = List.of(node("b", 1, MeshNodeState.ALIVE), node("b", 2, MeshNodeState.ALIVE));
    news.note(List.of("a", "b"));
    nodes = List.of();
    assertEquals(
        " The mesh knows no node 'b'. This node has found while it waited, and it is so no longer: b: 2 nodes are named 'b': id-b1, id-b2. Give each a name of its own with MESH_NODE.",
        news.of(List.of("b")));
  }

  @Test
  void shouldSayThatAnotherNodeHasThisNodesName() {
    nodes = List.of(node("a", 2, MeshNodeState.ALIVE));
    String text = news.of(List.of());
    assertTrue(text.contains("and it is so still: a: 2 nodes are named 'a': 1, id-a2."), text);
  }

  @Test
  void shouldKeepTheLastOfManyFindings() {
    for (int cable = 0; cable < 100; cable++) {
      findings = List.of(new MeshFinding("ONE_WAY", "eth" + cable, "It is deaf.", "Mend it."));
      news.note(List.of());
    }
    String text = news.of(List.of());
    assertTrue(text.contains(" eth99: It is deaf."), text);
    assertFalse(text.contains(" eth0: It is deaf."), text);
  }
}
