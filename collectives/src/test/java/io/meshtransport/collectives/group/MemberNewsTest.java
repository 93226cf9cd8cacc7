// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.neighbours.finding.FindingKind;
import io.meshtransport.spi.Mesh;
import io.meshtransport.spi.MeshFinding;
import io.meshtransport.spi.MeshNode;
import io.meshtransport.spi.MeshNodeState;
import io.meshtransport.spi.Peer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * {@link MemberNews} of node {@code a}, for a group {@code g}, with its {@link SeenFindings},
 * {@link SeenMembers} and {@link JoinAdvice}.
 */
class MemberNewsTest {
  private static final MeshFinding SECRET =
      new MeshFinding("OTHER_SECRET", "eth1", "It has another secret.", "Set the same.");

  private List<MeshNode> nodes = List.of();
  private List<MeshFinding> findings = List.of();
  private final Mesh mesh =
      Fakes.mesh(new HashMap<>(), () -> nodes, new ArrayList<>(), () -> findings);
  private long nowNs;
  private final MemberNews news =
      new MemberNews(Optional.of(new MeshRendezvous(mesh, "g")), () -> nowNs);

  private void passSeconds(double seconds) {
    nowNs += (long) (seconds * 1e9);
  }

  private static MeshNode node(
      String name, long incarnation, MeshNodeState state, String... services) {
    Peer peer = new Peer(name, "id-" + name + incarnation);
    String evidence = state == MeshNodeState.ALIVE ? "" : "c has said so";
    List<String> interfaces = name.equals("a") ? List.of("eth1 10.0.1.2") : List.of();
    return new MeshNode(peer, incarnation, state, evidence, Set.of(services), interfaces);
  }

  private static String of(MemberNews news, List<String> awaited) {
    return news.of(awaited).cause() + news.of(awaited).evidence();
  }

  private String of(List<String> awaited) {
    return of(news, awaited);
  }

  @Test
  void shouldSayNothingOfMembersThatLive() {
    nodes =
        List.of(
            node("b", 1, MeshNodeState.PROCESS_GONE),
            node("b", 2, MeshNodeState.ALIVE, "group:g"),
            node("x", 1, MeshNodeState.NODE_GONE));
    assertEquals("", of(List.of("b")));
  }

  @Test
  void shouldSayWithoutAMeshWhoHasLeft() {
    MemberNews none = new MemberNews(Optional.empty(), () -> nowNs);
    none.note(List.of("a", "b"));
    assertEquals("", of(none, List.of("b", "c")));
    passSeconds(12);
    none.note(List.of("a"));
    assertEquals(Set.of("a", "b"), none.came());
    assertEquals(" b came, and left again 12 s ago.", of(none, List.of("b", "c")));
    assertEquals(
        " Have the others join too, or allow more time.", none.advice(List.of("b", "c"), true));
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
        of(List.of("b", "c", "d")));
  }

  @Test
  void shouldTellNodesThatHaveNotJoinedFromThoseThatAreNotThere() {
    nodes =
        List.of(
            node("b", 1, MeshNodeState.ALIVE),
            node("c", 1, MeshNodeState.ALIVE, "group:sums", "session"),
            node("d", 1, MeshNodeState.ALIVE));
    news.note(List.of("a", "d"));
    passSeconds(1.5);
    news.note(List.of("a"));
    assertEquals(
        " b is in the mesh and has not joined this group."
            + " c is in the mesh and has not joined this group; it is in 'sums'."
            + " The mesh knows no node 'e'."
            + " d came, and gave up waiting or closed the group 1.5 s ago; its node is in the mesh.",
        of(List.of("b", "c", "d", "e")));
    assertEquals(
        " Have [b, c] join this group too. Start [e], or mend the cables that lead there."
            + " Have [d] join again, and wait for longer.",
        news.advice(List.of("b", "c", "d", "e"), true));
    assertEquals(
        " Have the others join too, or allow more time.", news.advice(List.of("b", "c"), false));
    findings = List.of(SECRET);
    news.note(List.of("a"));
    assertEquals(
        " Have [b] join this group too.", news.advice(List.of("b", "e"), true), "e is explained");
    assertEquals("", news.advice(List.of("b", "e"), false));
  }

  @Test
  void shouldSayWhenAMemberThatHasEndedWasThereLast() {
    nodes =
        List.of(node("b", 1, MeshNodeState.ALIVE, "group:g"), node("c", 1, MeshNodeState.ALIVE));
    news.note(List.of("a", "b"));
    passSeconds(2);
    nodes = List.of(nodes.get(1));
    news.note(List.of("a"));
    assertEquals(
        " b came, and was last there 2.0 s ago: it has given up waiting, or its program has ended.",
        of(List.of("b")));
    assertEquals(" Have [b] join again, and wait for longer.", news.advice(List.of("b"), true));
    nodes = List.of(node("b", 1, MeshNodeState.PROCESS_GONE), nodes.get(0));
    assertEquals(
        " b came, and was last there 2.0 s ago. The mesh says that b (id-b1) is PROCESS_GONE: c has said so.",
        of(List.of("b")));
    assertEquals(
        " Start [b], or mend the cables that lead there.", news.advice(List.of("b"), true));
  }

  /** Which has waited in vain for {@code c}, a little longer ago than this node. */
  @Test
  void shouldSayFirstWhoHasNeverComeAndThenWhoHasGivenUp() {
    nodes = List.of(node("b", 1, MeshNodeState.ALIVE, "group:g"));
    news.note(List.of("a", "b"));
    passSeconds(1);
    nodes = List.of();
    news.note(List.of("a"));
    assertEquals(
        " The mesh knows no node 'c'."
            + " b came, and was last there 1.0 s ago: it has given up waiting, or its program has ended.",
        of(List.of("b", "c")));
    assertEquals(
        " Start [c], or mend the cables that lead there. Have [b] join again, and wait for longer.",
        news.advice(List.of("b", "c"), true));
  }

  @Test
  void shouldPutTheCauseBeforeWhatIsSoAndTheEvidenceBehind() {
    MemberNews.Text text = new MemberNews.Text(" A cable is cut.", " b is gone.");
    assertEquals("A cable is cut. Only a came. b is gone.", text.around("only a came."));
    assertEquals(
        "One. A cable is cut. [a] came. b is gone.", text.with(" One.").around("[a] came."));
    assertEquals("only a came.", new MemberNews.Text("", "").around("only a came."));
  }

  /** As of a node that has left for the very finding. */
  @Test
  void shouldSayARemedyOnceThoughOneFindingIsSoNoLonger() {
    MeshFinding gone = new MeshFinding("OTHER_SECRET", "eth2", "It has none.", SECRET.remedy());
    nodes = List.of(node("x", 1, MeshNodeState.ALIVE));
    findings = List.of(gone);
    news.note(List.of("a"));
    findings = List.of(SECRET);
    assertEquals(
        " This node finds: eth1: It has another secret. Set the same."
            + " This node found while it waited, and no longer does: eth2: It has none.",
        of(List.of()));
  }

  @Test
  void shouldSayFirstWhatKeepsMembersAway() {
    findings =
        List.of(
            new MeshFinding("MTU_MISMATCH", "eth1 - b/eth0", "They differ.", "Set it."),
            SECRET,
            new MeshFinding("OTHER_SECRET", "eth2", SECRET.text(), SECRET.remedy()));
    nodes = List.of(node("b", 1, MeshNodeState.ALIVE));
    assertEquals(
        " This node finds: eth1, eth2: It has another secret. Set the same."
            + " b is in the mesh and has not joined this group. The mesh knows no node 'c'."
            + " This node finds: eth1 - b/eth0: They differ. Set it.",
        of(List.of("b", "c")));
  }

  @Test
  void shouldSayThatNoOtherNodeIsHeard() {
    nodes = List.of(node("b", 1, MeshNodeState.NODE_GONE));
    assertEquals(
        " This node hears no other, and eth2 has no carrier: plug the cable in, or start the others, or let firewalls pass UDP and TCP port 4793 (MESH_NEIGHBOUR_PORT sets another, the same on all nodes)."
            + " The mesh says that b (id-b1) is NODE_GONE: c has said so.",
        of(List.of("b")));
    assertEquals("", news.advice(List.of("b"), true));
  }

  @Test
  void shouldNotTakeALifeOutOfReachForAnotherNode() {
    nodes = List.of(node("b", 1, MeshNodeState.UNREACHABLE), node("b", 2, MeshNodeState.ALIVE));
    assertEquals(" b is in the mesh and has not joined this group.", of(List.of("b")));
    assertEquals(" Have [b] join this group too.", news.advice(List.of("b"), true));
    nodes = List.of(nodes.get(1), nodes.get(0));
    assertEquals(" b is in the mesh and has not joined this group.", of(List.of("b")));
    assertEquals(" Have [b] join this group too.", news.advice(List.of("b"), true));
  }

  /** One of them may be left, of whom the last is said. */
  @Test
  void shouldNotTakeLivesOutOfReachForSeveralNodes() {
    nodes =
        List.of(node("b", 1, MeshNodeState.UNREACHABLE), node("b", 2, MeshNodeState.UNREACHABLE));
    assertEquals(" The mesh says that b (id-b2) is UNREACHABLE: c has said so.", of(List.of("b")));
    assertEquals(
        " Start [b], or mend the cables that lead there.", news.advice(List.of("b"), true));
  }

  @Test
  void shouldKnowTheKindsOfFindingsOfAMesh() {
    Set<String> kinds =
        Arrays.stream(FindingKind.values()).map(FindingKind::name).collect(Collectors.toSet());
    assertTrue(kinds.containsAll(SeenFindings.REASONS_TO_BE_AWAY), "" + kinds);
    assertTrue(kinds.contains(SeenFindings.DUPLICATE_NAME), "" + kinds);
    assertTrue(kinds.contains(SeenFindings.REUSED_NAME), "" + kinds);
  }

  @Test
  void shouldSayThatANameIsDoubled() {
    nodes = List.of(node("b", 1, MeshNodeState.ALIVE), node("b", 2, MeshNodeState.STUCK));
    assertEquals(
        " 2 nodes are named 'b': b (id-b1); b (id-b2). Give each a name of its own with MESH_NODE.",
        of(List.of("b")));
  }

  @Test
  void shouldSayWhatTheNodeHasFoundUnlessItIsAMembersName() {
    nodes = List.of(node("b", 1, MeshNodeState.ALIVE), node("b", 2, MeshNodeState.ALIVE));
    findings =
        List.of(
            SECRET, new MeshFinding("DUPLICATE_NAME", "b", "2 nodes have the name b.", "Set it."));
    assertEquals(
        " 2 nodes are named 'b': b (id-b1); b (id-b2). Give each a name of its own with MESH_NODE."
            + " This node finds: eth1: It has another secret. Set the same.",
        of(List.of("b")));
  }

  @Test
  void shouldSayWhatWasFoundSinceTheJoinBeganAndIsSoNoLonger() {
    nodes = List.of(node("x", 1, MeshNodeState.ALIVE));
    findings = List.of(SECRET);
    news.note(List.of("a"));
    findings = List.of();
    news.note(List.of("a"));
    assertEquals(
        " This node found while it waited, and no longer does: eth1: It has another secret. Set the same.",
        of(List.of()));
  }

  /** Before the mesh, which looks once a second, has found it. */
  @Test
  void shouldSayThatNodesOfOneNameWereThereThatHaveLeft() {
    nodes = List.of(node("b", 1, MeshNodeState.ALIVE), node("b", 2, MeshNodeState.ALIVE));
    news.note(List.of("a", "b"));
    nodes = List.of();
    news.note(List.of("a"));
    assertEquals(
        " This node found while it waited, and no longer does: b: 2 nodes are named 'b': b (id-b1); b (id-b2). Give each a name of its own with MESH_NODE."
            + " b came, and was last there 0.0 s ago: it has given up waiting, or its program has ended.",
        of(List.of("b")));
    assertEquals("", news.advice(List.of("b"), true), "it needs another name first");
  }

  @Test
  void shouldSayThatAnotherNodeHasThisNodesName() {
    nodes = List.of(node("a", 2, MeshNodeState.ALIVE));
    String text = of(List.of());
    assertTrue(
        text.startsWith(" This node finds: a: 2 nodes are named 'a': this node, a (1), on host "),
        text);
    assertTrue(
        text.endsWith("; a (id-a2) at eth1 10.0.1.2. Give each a name of its own with MESH_NODE."),
        text);
  }

  @Test
  void shouldKeepTheLastOfManyFindings() {
    nodes = List.of(node("x", 1, MeshNodeState.ALIVE));
    for (int cable = 0; cable < 100; cable++) {
      findings = List.of(new MeshFinding("ONE_WAY", "eth" + cable, "It is deaf.", "Mend it."));
      news.note(List.of());
    }
    String text = of(List.of());
    assertTrue(text.contains(" eth99: It is deaf."), text);
    assertFalse(text.contains(" eth0: It is deaf."), text);
  }

  private static final String ONE_AFTER_THE_OTHER =
      " 2 nodes named 'b' have been seen since the join began: b (id-b1), which is gone; b (id-b2), which is %s. If they are two hosts, give each a name of its own with MESH_NODE; if one node was started again, its name is right.";

  /** Which neither the mesh nor this node has seen at one time. */
  @Test
  void shouldSayThatNodesOfOneNameHaveComeOneAfterTheOther() {
    nodes = List.of(node("b", 1, MeshNodeState.ALIVE, "group:g"));
    news.note(List.of("a", "b"));
    nodes = List.of(node("x", 1, MeshNodeState.ALIVE));
    news.note(List.of("a"));
    nodes = List.of(node("b", 2, MeshNodeState.ALIVE, "group:g"));
    news.note(List.of("a", "b"));
    assertEquals(ONE_AFTER_THE_OTHER.formatted("there"), of(List.of()));
    findings =
        List.of(new MeshFinding("REUSED_NAME", "b", "2 nodes have had the name b.", "Set it."));
    nodes = List.of(node("x", 1, MeshNodeState.ALIVE));
    assertEquals(ONE_AFTER_THE_OTHER.formatted("gone"), of(List.of()), "once");
  }

  @Test
  void shouldNotSayOfNodesThatWereThereAtOneTimeThatTheyCameOneAfterTheOther() {
    MeshFinding doubled = new MeshFinding("DUPLICATE_NAME", "a", "2 nodes are a.", "Set it.");
    findings = List.of(doubled);
    news.note(List.of("a"));
    findings = List.of(new MeshFinding("REUSED_NAME", "a", "2 nodes have been a.", "Set it."));
    assertEquals(
        " This node found while it waited, and no longer does: a: 2 nodes are a. Set it.",
        of(List.of()));
  }

  @Test
  void shouldSayWhatTheMeshKnowsOfANameFromBeforeTheJoin() {
    nodes = List.of(node("x", 1, MeshNodeState.ALIVE));
    findings =
        List.of(new MeshFinding("REUSED_NAME", "b", "2 nodes have had the name b.", "Set it."));
    assertEquals(" This node finds: b: 2 nodes have had the name b. Set it.", of(List.of()));
  }

  @Test
  void shouldKeepTheLastOfManyNodes() {
    SeenNodes seen = new SeenNodes();
    for (int life = 0; life <= SeenNodes.MAX; life++) {
      seen.note(
          List.of(
              node("b", life, MeshNodeState.ALIVE), node("c", life, MeshNodeState.PROCESS_GONE)));
    }
    assertEquals(Set.of("b"), seen.doubled().keySet());
    assertEquals(SeenNodes.MAX, seen.named("b").size());
    assertEquals(1, seen.named("b").get(0).incarnation());
  }
}
