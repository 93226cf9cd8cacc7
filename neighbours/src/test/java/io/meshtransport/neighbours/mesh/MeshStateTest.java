// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.mesh;

import static io.meshtransport.neighbours.mesh.MeshReports.SELF;
import static io.meshtransport.neighbours.mesh.MeshReports.cabled;
import static io.meshtransport.neighbours.mesh.MeshReports.record;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.handshake.NodeId;
import io.meshtransport.neighbours.finding.Finding;
import io.meshtransport.neighbours.finding.FindingKind;
import io.meshtransport.neighbours.linkstate.MeshGraph;
import io.meshtransport.neighbours.verdict.NodeState;
import io.meshtransport.neighbours.verdict.NodeVerdict;
import io.meshtransport.neighbours.wire.InterfaceEntry;
import io.meshtransport.neighbours.wire.NodeRecord;
import io.meshtransport.nic.LinkAddress;
import io.meshtransport.spi.Mesh;
import io.meshtransport.spi.MeshEventListener;
import io.meshtransport.spi.MeshFinding;
import io.meshtransport.spi.MeshLink;
import io.meshtransport.spi.MeshNode;
import io.meshtransport.spi.MeshNodeState;
import io.meshtransport.spi.Peer;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a mesh makes of the agent's reports, without sockets; events are reported at once. */
class MeshStateTest {
  private static final NodeId B = new NodeId(0x0b00000000000000L, 2);
  private static final NodeId NEXT = new NodeId(0x0c00000000000000L, 3);
  private static final byte[] HANDLE = MeshReports.handle();

  private final List<String> events = new ArrayList<>();
  private final List<String> ended = new ArrayList<>();
  private final MeshState state =
      new MeshState(
          SELF, "a", Runnable::run, (node, evidence) -> ended.add(node.equals(B) + " " + evidence));

  /** Writes events down. */
  private final class Log implements MeshEventListener {
    @Override
    public void nodeAppeared(MeshNode node) {
      events.add("appeared " + node.peer().name());
    }

    @Override
    public void verdict(MeshNode node) {
      events.add(node.peer().name() + " " + node.state() + ": " + node.evidence());
    }

    @Override
    public void nodeRemoved(MeshNode node) {
      events.add("removed " + node.peer().name() + " " + node.state());
    }

    @Override
    public void servicePublished(MeshNode node, String service) {
      events.add("published " + service);
    }

    @Override
    public void linkCut(Peer peer, String evidence) {
      events.add("cut " + peer.name());
    }

    @Override
    public void linkUp(MeshLink link) {
      events.add("link up " + link.mtu());
    }

    @Override
    public void linkChanged(MeshLink before, MeshLink now) {
      events.add("link changed " + before.mtu() + " " + now.mtu());
    }

    @Override
    public void linkDown(MeshLink link) {
      events.add("link down " + link.mtu());
    }

    @Override
    public void found(MeshFinding finding) {
      events.add("found " + finding.kind() + " " + finding);
    }

    @Override
    public void cleared(MeshFinding finding) {
      events.add("cleared " + finding.kind());
    }

    @Override
    public void serviceWithdrawn(MeshNode node, String service) {
      events.add("withdrawn " + service);
    }
  }

  private static NodeVerdict judged(NodeState state, String evidence) {
    return MeshReports.verdict(B, "b", state, evidence);
  }

  private TransportException refusal(String node, String service) {
    return assertThrows(
        TransportException.class, () -> state.awaitHandle(node, service, 0, Duration.ZERO));
  }

  @Test
  void reportsEachChangeOnceAndInOrder() {
    state.subscribe(new Log());
    NodeRecord first = record(B, "b", 1, "store");
    NodeRecord second = record(B, "b", 1, "other");
    state.nodeAppeared(first);
    state.nodeChanged(first, second);
    state.verdict(judged(NodeState.PROCESS_GONE, "refused"));
    state.nodeGone(second);
    assertEquals(
        List.of(
            "appeared b",
            "published store",
            "withdrawn store",
            "published other",
            "b PROCESS_GONE: refused",
            "removed b PROCESS_GONE"),
        events);
  }

  private static NodeRecord left(long incarnation) {
    return new NodeRecord(B, incarnation, 2, true, "b", List.of(), List.of(), List.of());
  }

  /** Its last record, and its last hello, come in any order; the agent judges a moment later. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void reportsThatANodeHasLeftBeforeItIsRemoved(boolean isJudgedFirst) {
    NodeVerdict verdict = judged(NodeState.LEFT, "it said that it leaves");
    state.subscribe(new Log());
    state.nodeAppeared(record(B, "b", 1));
    if (isJudgedFirst) {
      state.verdict(verdict);
    }
    state.nodeGone(left(1));
    if (!isJudgedFirst) {
      state.verdict(verdict);
    }
    List<String> first = List.copyOf(events);
    events.clear();
    state.nodeAppeared(record(B, "b", 1));
    assertEquals(List.of("appeared b", "b LEFT: it said that it leaves", "removed b LEFT"), first);
    assertEquals(MeshNodeState.ALIVE, state.nodes().get(0).state(), "it has joined again");
    state.verdict(verdict);
    assertEquals(
        List.of("appeared b", "b LEFT: it said that it leaves"), events, "it leaves again");
  }

  /** As where its goodbye was lost: its process lives, so it must count as ended nowhere. */
  @Test
  void reportsThatATransportHasLeftThatHasJoinedAgain() {
    state.subscribe(new Log());
    state.nodeAppeared(record(B, "b", 1));
    state.verdict(new NodeVerdict(B, "b", 1, NodeState.PROCESS_GONE, "another life", true));
    state.verdict(new NodeVerdict(B, "b", 2, NodeState.ALIVE, "heard"));
    assertEquals(List.of("appeared b", "b LEFT: another life", "b ALIVE: heard"), events);
  }

  @Test
  void reportsWhatIsThereToALaterListenerAndNothingAfterItsEnd() {
    state.nodeAppeared(record(B, "b", 1, "store"));
    Mesh.Subscription subscription = state.subscribe(new Log());
    subscription.close();
    state.verdict(judged(NodeState.STUCK, "silent"));
    assertEquals(List.of("appeared b", "published store"), events);
  }

  private static MeshGraph cable(int mtu) {
    return MeshGraph.of(List.of(cabled(SELF, "a", B, mtu), cabled(B, "b", SELF, mtu)));
  }

  @Test
  void reportsCablesAndFindingsOnce() {
    Finding finding = new Finding(FindingKind.CROSSED_CABLES, "eth0", "Crossed.", "Swap them.");
    state.subscribe(new Log());
    state.cablesChanged(cable(1500));
    state.cablesChanged(cable(1500));
    state.cablesChanged(cable(9000));
    state.found(finding);
    state.found(finding);
    assertEquals(
        List.of(new MeshFinding("CROSSED_CABLES", "eth0", "Crossed.", "Swap them.")),
        state.findings());
    List<String> first = List.copyOf(events);
    events.clear();
    state.subscribe(new Log());
    List<String> later = List.copyOf(events);
    events.clear();
    state.cleared(finding);
    state.cablesChanged(MeshGraph.of(List.of()));
    assertEquals(List.of(), state.findings());
    assertEquals(
        List.of(
            "link up 1500",
            "link changed 1500 9000",
            "found CROSSED_CABLES eth0: Crossed. Swap them."),
        first);
    assertEquals(List.of("link up 9000", "found CROSSED_CABLES eth0: Crossed. Swap them."), later);
    assertEquals(
        List.of(
            "cleared CROSSED_CABLES", "cleared CROSSED_CABLES", "link down 9000", "link down 9000"),
        events);
  }

  @Test
  void knowsWhetherAnotherNodeHasANameWithinReach() {
    assertFalse(state.hasNear("a"));
    state.nodeAppeared(record(B, "a", 1));
    assertTrue(state.hasNear("a"));
    state.verdict(MeshReports.verdict(B, "a", NodeState.UNREACHABLE, "no path"));
    assertFalse(state.hasNear("a"));
  }

  @Test
  void namesNodesForTextsWhileItKnowsThem() {
    assertEquals(new Peer("", B.toString()), state.peer(B));
    state.nodeAppeared(record(B, "b", 1));
    assertEquals(new Peer("b", B.toString()), state.peer(B));
  }

  @Test
  void endsWhatLeadsToANodeThatIsGoneAndToNoOther() {
    state.nodeAppeared(record(B, "b", 1));
    for (NodeState each : NodeState.values()) {
      state.verdict(judged(each, each.description()));
    }
    assertEquals(List.of("true process gone", "true node gone"), ended);
    ended.clear();
    state.verdict(new NodeVerdict(B, "b", 1, NodeState.PROCESS_GONE, "another life", true));
    assertEquals(List.of(), ended, "its transport has joined the mesh again");
  }

  @Test
  void reportsToOthersAfterAListenerThatThrows() {
    state.subscribe(
        new MeshEventListener() {
          @Override
          public void nodeAppeared(MeshNode node) {
            throw new IllegalStateException("of the program");
          }
        });
    state.subscribe(new Log());
    state.nodeAppeared(record(B, "b", 1));
    assertEquals(List.of("appeared b"), events);
  }

  @Test
  void answersTheHandleOfALivingNodeOnly() throws TransportException {
    state.nodeAppeared(record(B, "b", 1, "store"));
    assertArrayEquals(HANDLE, state.awaitHandle("b", "store", 0, Duration.ZERO));
    state.verdict(judged(NodeState.PROCESS_GONE, "refused"));
    TransportException refusal = refusal("b", "store");
    assertEquals(Reason.PEER_UNREACHABLE, refusal.reason());
    assertTrue(refusal.getMessage().contains("b PROCESS_GONE"), refusal.getMessage());
  }

  @Test
  void countsALaterLifeAsAlive() throws TransportException {
    NodeRecord before = record(B, "b", 1, "store");
    state.nodeAppeared(before);
    state.verdict(judged(NodeState.NODE_GONE, "silent"));
    assertFalse(state.awaitLiving(1, Duration.ZERO));
    state.nodeChanged(before, record(B, "b", 2, "store"));
    assertTrue(state.awaitLiving(1, Duration.ZERO));
    assertEquals(MeshNodeState.ALIVE, state.nodes().get(0).state());
    assertEquals(2, state.nodes().get(0).incarnation());
  }

  @Test
  void refusesANameThatTwoLivingNodesHave() {
    state.nodeAppeared(record(B, "b", 1, "store"));
    InterfaceEntry cable = entry("eth1", "fe80::1/64", "10.0.1.2/24", "fd00::2/64");
    InterfaceEntry other = entry("eth2", "fe80::2/64");
    state.nodeAppeared(
        new NodeRecord(NEXT, 1, 1, false, "b", List.of(cable, other), List.of(), List.of()));
    TransportException refusal = refusal("b", "store");
    assertEquals(Reason.CONFIGURATION, refusal.reason());
    assertEquals(
        "2 nodes are named 'b': b (0b000000); b (0c000000) at eth1 10.0.1.2 fd00::2, eth2 fe80::2. Give each a name of its own with MESH_NODE.",
        refusal.getMessage());
    assertEquals(
        List.of("b (0b000000)", "b (0c000000) at eth1 10.0.1.2 fd00::2, eth2 fe80::2"),
        state.nodes().stream().map(MeshNode::description).toList());
  }

  private static InterfaceEntry entry(String name, String... addresses) {
    List<LinkAddress> parsed = Arrays.stream(addresses).map(LinkAddress::parse).toList();
    return new InterfaceEntry(name.hashCode(), name, 1500, 0, parsed);
  }

  /** One may be the earlier life of the other: a caller in a hurry is not told that it is none. */
  @Test
  void doesNotCallANameDoubledBeforeAVerdictCouldHaveCome() {
    state.nodeAppeared(record(B, "b", 1, "store"));
    state.nodeAppeared(record(NEXT, "b", 1, "store"));
    TransportException refusal =
        assertThrows(
            TransportException.class,
            () -> state.awaitHandle("b", "store", Duration.ofDays(1).toNanos(), Duration.ZERO));
    assertEquals(Reason.PEER_UNREACHABLE, refusal.reason());
    assertTrue(refusal.retryHelps());
    assertTrue(refusal.getMessage().contains("not judged yet"), refusal.getMessage());
  }

  /** As where all nodes that could say that it was killed were killed with it. */
  @Test
  void leadsToTheNodeWithinReachWhereAnEarlierLifeIsOutOfReach() throws TransportException {
    state.nodeAppeared(record(B, "b", 1, "store"));
    state.verdict(judged(NodeState.UNREACHABLE, "no path"));
    state.nodeAppeared(MeshReports.record(NEXT, "b", "store", 9));
    assertArrayEquals(new byte[] {9}, state.awaitHandle("b", "store", 0, Duration.ZERO));
    assertArrayEquals(new byte[] {9}, state.lookup("b", "store").orElseThrow());
    assertEquals(Optional.of(NEXT), state.find("b"));
    state.verdict(judged(NodeState.ALIVE, "heard"));
    assertEquals(Reason.CONFIGURATION, refusal("b", "store").reason(), "both are within reach");
    assertEquals(Optional.empty(), state.find("b"));
  }

  @Test
  void awaitsAPathWhereAllNodesOfANameAreOutOfReach() {
    for (NodeId each : List.of(B, NEXT)) {
      state.nodeAppeared(record(each, "b", 1, "store"));
      state.verdict(MeshReports.verdict(each, "b", NodeState.UNREACHABLE, "no path"));
    }
    TransportException refusal = refusal("b", "store");
    assertEquals(Reason.PEER_UNREACHABLE, refusal.reason());
    assertEquals(
        "No path leads to any of the 2 nodes named 'b': b (0b000000); b (0c000000). Check their cables.",
        refusal.getMessage());
    assertEquals(Optional.empty(), state.lookup("b", "store"));
  }

  @Test
  void namesWhatIsKnownWhereANodeOrServiceIsMissing() {
    state.nodeAppeared(record(B, "b", 1, "store"));
    assertEquals(
        "No living node is named 'c'; known nodes: [b ALIVE]", refusal("c", "store").getMessage());
    assertEquals(
        "Node 'b' has published no service 'queue'; its services: [store]",
        refusal("b", "queue").getMessage());
  }

  @Test
  void namesAllCablesOfOneFindingAtOnce() {
    state.found(new Finding(FindingKind.OTHER_SECRET, "eth0", "Another secret.", "Set it."));
    state.found(new Finding(FindingKind.OTHER_SECRET, "eth1", "Another secret.", "Set it."));
    assertEquals(
        "No living node is named 'c'; known nodes: [].\n  eth0, eth1: Another secret. Set it.",
        refusal("c", "store").getMessage());
  }

  @Test
  void keepsTheNewWordsOfAFindingThatIsReported() {
    state.subscribe(new Log());
    state.found(new Finding(FindingKind.OTHER_SECRET, "eth0", "b has another.", "Set it."));
    events.clear();
    state.reworded(new Finding(FindingKind.OTHER_SECRET, "eth0", "b and c have.", "Set it."));
    assertEquals(
        List.of(new MeshFinding("OTHER_SECRET", "eth0", "b and c have.", "Set it.")),
        state.findings());
    assertEquals(List.of(), events);
  }

  @Test
  void leavesItselfOutAndEndsWaitingWhenClosed() {
    state.nodeAppeared(record(SELF, "a", 1));
    assertEquals(List.of(), state.nodes());
    state.close();
    assertEquals(Reason.CLOSED, refusal("b", "store").reason());
  }

  @Test
  void looksUpServicesOfTheOnlyLivingNodeOfAName() {
    assertEquals(Optional.empty(), state.lookup("b", "store"));
    state.nodeAppeared(record(B, "b", 1, "store"));
    assertArrayEquals(HANDLE, state.lookup("b", "store").orElseThrow());
    assertEquals(Optional.empty(), state.lookup("b", "other"));
    state.nodeAppeared(record(NEXT, "b", 1, "store"));
    assertEquals(Optional.empty(), state.lookup("b", "store"), "two nodes have the name");
    state.verdict(judged(NodeState.PROCESS_GONE, "refused"));
    assertArrayEquals(HANDLE, state.lookup("b", "store").orElseThrow());
  }
}
