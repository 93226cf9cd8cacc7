// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.meshtransport.spi.MeshFinding;
import io.meshtransport.spi.MeshNode;
import io.meshtransport.spi.MeshNodeState;
import io.meshtransport.spi.Peer;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class MemberNewsTest {
  private static MeshNode node(String name, long incarnation, MeshNodeState state) {
    Peer peer = new Peer(name, "id-" + name + incarnation);
    String evidence = state == MeshNodeState.ALIVE ? "" : "c has said so";
    return new MeshNode(peer, incarnation, state, evidence, Set.of());
  }

  @Test
  void shouldSayNothingOfMembersThatLive() {
    List<MeshNode> nodes =
        List.of(
            node("b", 1, MeshNodeState.PROCESS_GONE),
            node("b", 2, MeshNodeState.ALIVE),
            node("x", 1, MeshNodeState.NODE_GONE));
    assertEquals("", MemberNews.of(nodes, List.of(), List.of("b")));
  }

  @Test
  void shouldSayWhichMemberIsGoneOrOutOfReach() {
    List<MeshNode> nodes =
        List.of(
            node("b", 1, MeshNodeState.PROCESS_GONE),
            node("b", 2, MeshNodeState.NODE_GONE),
            node("c", 1, MeshNodeState.STUCK));
    String text = MemberNews.of(nodes, List.of(), List.of("b", "c", "d"));
    assertEquals(
        " The mesh says that %s is NODE_GONE: c has said so. The mesh says that %s is STUCK: c has said so. The mesh knows no node 'd'."
            .formatted(nodes.get(1).peer(), nodes.get(2).peer()),
        text);
  }

  @Test
  void shouldSayThatANameIsDoubled() {
    List<MeshNode> nodes =
        List.of(node("b", 1, MeshNodeState.ALIVE), node("b", 2, MeshNodeState.UNREACHABLE));
    assertEquals(
        " 2 nodes are named 'b': id-b1, id-b2. Give each a name of its own with MESH_NODE.",
        MemberNews.of(nodes, List.of(), List.of("b")));
  }

  @Test
  void shouldSayWhatTheNodeHasFoundUnlessItIsAMembersName() {
    MeshFinding secret =
        new MeshFinding("OTHER_SECRET", "eth1", "It has another secret.", "Set the same.");
    MeshFinding name =
        new MeshFinding("DUPLICATE_NAME", "b", "2 nodes have the name b.", "Set it.");
    String text = MemberNews.of(List.of(), List.of(secret, name), List.of("b"));
    assertEquals(
        " The mesh knows no node 'b'. This node has found: eth1: It has another secret. Set the same.",
        text);
  }
}
