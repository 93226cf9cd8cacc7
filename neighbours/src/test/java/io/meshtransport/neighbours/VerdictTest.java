// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours;

import static io.meshtransport.neighbours.SimulatedMesh.MS_NS;
import static io.meshtransport.neighbours.SimulatedMesh.SECOND_NS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.neighbours.SimulatedMesh.Node;
import io.meshtransport.neighbours.SimulatedMesh.SimulatedCable;
import io.meshtransport.neighbours.verdict.CableCut;
import io.meshtransport.neighbours.verdict.NodeState;
import io.meshtransport.neighbours.verdict.NodeVerdict;
import io.meshtransport.neighbours.verdict.VerdictListener;
import io.meshtransport.neighbours.verdict.Verdicts;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.BooleanSupplier;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;

/**
 * {@link Verdicts} on a simulated wire: each change of a node's life is said once by each node, in
 * time and with its evidence. {@link VerdictListener}, {@link NodeVerdict}, {@link CableCut},
 * {@link io.meshtransport.neighbours.verdict.WatchedNode}, {@link
 * io.meshtransport.neighbours.verdict.WatchedCable}, {@link
 * io.meshtransport.neighbours.verdict.LivenessPort}, {@link
 * io.meshtransport.neighbours.verdict.ProbeAnswer}, {@link
 * io.meshtransport.neighbours.verdict.ReachableNodes}, {@link
 * io.meshtransport.neighbours.verdict.EvidenceText}. jqwik prints the seed of a failure.
 */
class VerdictTest {
  private static final long LIMIT_NS = 1500 * MS_NS;
  private static final long PROCESS_NS = 100 * MS_NS;

  private final SimulatedMesh mesh = new SimulatedMesh(7);

  private List<Node> started(int nodes) {
    for (int i = 0; i < nodes; i++) {
      mesh.node(String.valueOf((char) ('a' + i)));
    }
    return mesh.nodes;
  }

  /** Starts all nodes and clears what they said when they found each other. */
  private void startAll() {
    mesh.nodes.forEach(Node::start);
    mesh.runFor(5 * SECOND_NS);
    for (Node each : mesh.nodes) {
      assertEquals(
          mesh.nodes.size() - 1,
          each.log.verdicts.stream().filter(one -> one.state() == NodeState.ALIVE).count(),
          each + ": " + each.log.verdicts);
      assertEquals(mesh.nodes.size() - 1, each.log.verdicts.size(), "" + each.log.verdicts);
    }
    clear();
  }

  private void clear() {
    mesh.nodes.forEach(each -> each.log.verdicts.clear());
    mesh.nodes.forEach(each -> each.log.cuts.clear());
  }

  private static List<String> said(Node by) {
    return by.log.verdicts.stream().map(each -> each.name() + " " + each.state()).toList();
  }

  /** Runs until each of these nodes has said something, and answers how long that took. */
  private long awaitVerdicts(List<Node> by, int count) {
    long beganNs = mesh.nowNs();
    mesh.runUntil(
        beganNs + 10 * SECOND_NS,
        () -> by.stream().allMatch(each -> each.log.verdicts.size() >= count));
    return mesh.nowNs() - beganNs;
  }

  private void assertSaid(List<Node> by, String... verdicts) {
    for (Node each : by) {
      assertEquals(List.of(verdicts), said(each), each + ": " + each.log.verdicts);
    }
  }

  /** A line a - b - c - d: only one node is cabled to the one that changes. */
  private List<Node> line() {
    return line(4);
  }

  private List<Node> line(int count) {
    List<Node> nodes = started(count);
    for (int i = 1; i < nodes.size(); i++) {
      mesh.connect(nodes.get(i - 1), nodes.get(i));
    }
    startAll();
    return nodes;
  }

  private List<Node> triangle() {
    List<Node> nodes = started(3);
    mesh.connect(nodes.get(0), nodes.get(1));
    mesh.connect(nodes.get(1), nodes.get(2));
    mesh.connect(nodes.get(2), nodes.get(0));
    startAll();
    return nodes;
  }

  @Example
  void shouldSayWithin100MillisecondsThatAProcessIsGone() {
    List<Node> nodes = line();
    List<Node> others = nodes.subList(0, 3);
    nodes.get(3).kill();
    long tookNs = awaitVerdicts(others, 1);
    assertTrue(tookNs <= PROCESS_NS, tookNs / MS_NS + " ms");
    mesh.runFor(10 * SECOND_NS);
    assertSaid(others, "d PROCESS_GONE");
    assertTrue(
        nodes.get(2).log.verdicts.get(0).evidence().contains("refuses connections on eth2"),
        nodes.get(2).log.verdicts.toString());
    assertTrue(
        nodes.get(0).log.verdicts.get(0).evidence().contains("as c reports"),
        nodes.get(0).log.verdicts.toString());
    nodes.get(3).start();
    mesh.runFor(2 * SECOND_NS);
    assertSaid(others, "d PROCESS_GONE", "d ALIVE");
  }

  @Example
  void shouldDistinguishAStoppedProcessFromADeadOne() {
    List<Node> nodes = line();
    List<Node> others = nodes.subList(0, 3);
    nodes.get(3).stop();
    long tookNs = awaitVerdicts(others, 1);
    assertTrue(tookNs <= LIMIT_NS, tookNs / MS_NS + " ms");
    mesh.runFor(10 * SECOND_NS);
    assertSaid(others, "d STUCK");
    nodes.get(3).resume();
    mesh.runFor(2 * SECOND_NS);
    assertSaid(others, "d STUCK", "d ALIVE");
    assertSaid(List.of(nodes.get(3)));
  }

  @Example
  void shouldSayThatAStoppedProcessWasKilled() {
    List<Node> nodes = triangle();
    nodes.get(2).stop();
    mesh.runFor(3 * SECOND_NS);
    nodes.get(2).kill();
    nodes.get(2).isStopped = false;
    mesh.runFor(PROCESS_NS);
    assertSaid(nodes.subList(0, 2), "c STUCK", "c PROCESS_GONE");
  }

  @Example
  void shouldSayThatANodeIsGoneWhenNobodyHearsIt() {
    List<Node> nodes = line();
    List<Node> others = nodes.subList(0, 3);
    nodes.get(3).powerOff();
    long tookNs = awaitVerdicts(others, 1);
    assertTrue(tookNs <= LIMIT_NS, tookNs / MS_NS + " ms");
    mesh.runFor(10 * SECOND_NS);
    assertSaid(others, "d NODE_GONE");
    assertEquals(List.of(), nodes.get(2).log.cuts);
  }

  @Example
  void shouldSayThatACableIsCutAndNothingOfTheNodeBehindIt() {
    List<Node> nodes = triangle();
    for (boolean losesCarrier : new boolean[] {false, true}) {
      SimulatedCable cable = mesh.cables.get(0);
      long cutNs = mesh.nowNs();
      mesh.cut(cable, losesCarrier);
      mesh.runUntil(
          cutNs + LIMIT_NS,
          () -> nodes.subList(0, 2).stream().allMatch(each -> each.log.cuts.size() == 1));
      mesh.runFor(5 * SECOND_NS);
      assertSaid(nodes);
      assertEquals(1, nodes.get(0).log.cuts.size());
      CableCut cut = nodes.get(0).log.cuts.get(0);
      assertEquals("b", cut.peerName());
      assertTrue(cut.evidence().contains("c hears it"), cut.evidence());
      assertEquals(List.of(), nodes.get(2).log.cuts);
      mesh.heal(cable);
      mesh.runFor(5 * SECOND_NS);
      assertSaid(nodes);
      clear();
    }
  }

  @Example
  void shouldSayThatOneOfTwoCablesIsCut() {
    List<Node> nodes = started(2);
    SimulatedCable one = mesh.connect(nodes.get(0), nodes.get(1));
    mesh.connect(nodes.get(0), nodes.get(1));
    startAll();
    mesh.cut(one, false);
    mesh.runFor(LIMIT_NS);
    assertSaid(nodes);
    assertEquals(1, nodes.get(0).log.cuts.size());
    assertEquals(1, nodes.get(1).log.cuts.size());
  }

  @Example
  void shouldSayOfNodesBehindADeadOneThatTheyCannotBeReached() {
    List<Node> nodes = line();
    nodes.get(1).powerOff();
    mesh.runFor(3 * SECOND_NS);
    assertEquals(
        List.of("b NODE_GONE", "c UNREACHABLE", "d UNREACHABLE"),
        said(nodes.get(0)).stream().sorted().toList());
    assertEquals(
        List.of("a UNREACHABLE", "b NODE_GONE"), said(nodes.get(3)).stream().sorted().toList());
  }

  /**
   * A node pauses until it is reported silent, and is back at once; then that is held back by the
   * one that heard it last, or by one on the way.
   */
  @Example
  void shouldSayNothingWhereReportersPause() {
    List<Node> nodes = line(5);
    Node a = nodes.get(0);
    Node b = nodes.get(1);
    Node c = nodes.get(2);
    Node d = nodes.get(3);
    for (List<Node> each : List.of(List.of(d, c), List.of(d, b), List.of(c, b))) {
      for (long backMs : new long[] {20, 40, 60}) {
        sayNothing(a, each.get(0), each.get(1), backMs * MS_NS);
        assertSaid(nodes);
      }
    }
  }

  private void sayNothing(Node at, Node silent, Node holding, long backNs) {
    int cables = at.program.graph().edges().size();
    silent.stop();
    mesh.runUntil(mesh.nowNs() + 2 * SECOND_NS, () -> at.program.graph().edges().size() < cables);
    silent.resume();
    mesh.runFor(backNs);
    holding.stop();
    mesh.runFor(700 * MS_NS);
    holding.resume();
    mesh.runFor(3 * SECOND_NS);
    assertEquals(cables, at.program.graph().edges().size());
  }

  /** Proof that a node is back waits in the socket with what makes its cable look cut. */
  @Example
  void shouldNotTakeACableForCutAfterAPauseOfItsOwn() {
    List<Node> nodes = triangle();
    Node a = nodes.get(0);
    Node c = nodes.get(2);
    c.stop();
    mesh.runUntil(mesh.nowNs() + 2 * SECOND_NS, () -> a.program.adjacencies().size() == 1);
    a.stop();
    c.resume();
    mesh.runFor(600 * MS_NS);
    a.resume();
    mesh.runFor(3 * SECOND_NS);
    assertEquals(List.of(), a.log.cuts);
    assertSaid(nodes);
  }

  /** The record of a node that publishes something new all the time is sent every 5 s. */
  @Example
  void shouldEndADoubtThatNobodyConfirms() {
    List<Node> nodes = line();
    Node a = nodes.get(0);
    Node c = nodes.get(2);
    long beganNs = mesh.nowNs();
    publishUntil(c, () -> mesh.nowNs() - beganNs >= 15 * SECOND_NS);
    nodes.get(3).powerOff();
    publishUntil(c, () -> a.program.graph().edges().size() == 2);
    long doubtNs = mesh.nowNs();
    publishUntil(c, () -> !a.log.verdicts.isEmpty());
    long tookNs = mesh.nowNs() - doubtNs;
    assertTrue(tookNs > Verdicts.WINDOW_NS, tookNs / MS_NS + " ms");
    assertTrue(tookNs <= Verdicts.MAX_DOUBT_NS, tookNs / MS_NS + " ms");
    mesh.runFor(10 * SECOND_NS);
    assertSaid(nodes.subList(0, 3), "d NODE_GONE");
  }

  /** What is behind a silent node waits for reports on others, but not for longer than its own. */
  @Example
  void shouldEndADoubtThoughOneThatBeganLaterIsNotConfirmed() {
    List<Node> nodes = started(6);
    Node a = nodes.get(0);
    Node reporter = nodes.get(1);
    mesh.connect(a, reporter);
    mesh.connect(reporter, nodes.get(2));
    mesh.connect(a, nodes.get(3));
    mesh.connect(nodes.get(3), nodes.get(4));
    mesh.connect(nodes.get(4), nodes.get(5));
    startAll();
    publishUntil(mesh.nowNs() + 15 * SECOND_NS, reporter);
    long sequence = sequence(a, reporter);
    publishUntil(reporter, () -> sequence(a, reporter) != sequence);
    // Its next record, which says that c is silent, comes in 5 s, and the one after that as late.
    long recordNs = mesh.nowNs();
    publishUntil(recordNs + SECOND_NS, reporter);
    nodes.get(2).powerOff();
    publishUntil(recordNs + 3950 * MS_NS, reporter);
    nodes.get(4).powerOff();
    publishUntil(reporter, () -> a.program.graph().edges().size() == 4);
    long doubtNs = mesh.nowNs();
    publishUntil(reporter, () -> said(a).contains("f UNREACHABLE"));
    long tookNs = mesh.nowNs() - doubtNs;
    assertTrue(tookNs > 2 * Verdicts.WINDOW_NS, tookNs / MS_NS + " ms");
    assertTrue(tookNs <= Verdicts.MAX_DOUBT_NS, tookNs / MS_NS + " ms");
    assertFalse(said(a).contains("c NODE_GONE"), "it was in doubt until now");
  }

  private static long sequence(Node at, Node of) {
    return at.program.graph().nodes().get(of.program.identity().id()).sequence();
  }

  private void publishUntil(long untilNs, Node node) {
    publishUntil(node, () -> mesh.nowNs() >= untilNs);
  }

  private void publishUntil(Node node, BooleanSupplier holds) {
    mesh.runUntil(
        mesh.nowNs() + 20 * SECOND_NS,
        () -> {
          byte[] handle = String.valueOf(mesh.nowNs()).getBytes(StandardCharsets.US_ASCII);
          node.perform(() -> node.program.publish("clock", handle, node.localNs()));
          return holds.getAsBoolean();
        });
  }

  /** A node that has begun a new life knows nothing yet of those behind it. */
  @Property(tries = 60, shrinking = ShrinkingMode.OFF)
  void shouldNotTakeNodesForDeadBehindOneThatComesBack(@ForAll long seed) {
    SimulatedMesh other = new SimulatedMesh(seed);
    Random random = new Random(seed);
    Node a = other.node("a");
    Node b = other.node("b");
    Node c = other.node("c");
    other.connect(a, b);
    SimulatedCable later = other.connect(b, c);
    other.nodes.forEach(Node::start);
    other.runFor(5 * SECOND_NS);
    a.log.verdicts.clear();
    c.log.verdicts.clear();
    switch (random.nextInt(3)) {
      case 0 -> b.kill();
      case 1 -> b.leave();
      default -> b.powerOff();
    }
    other.runFor(random.nextInt(8000) * MS_NS);
    b.kill();
    // Hosts set their ports up one after the other.
    other.cut(later, false);
    b.start();
    other.runFor(random.nextInt(1000) * MS_NS);
    other.heal(later);
    other.runFor(6 * SECOND_NS);
    for (Node each : List.of(a, c)) {
      List<NodeState> ofFar =
          each.log.verdicts.stream()
              .filter(one -> !one.name().equals("b"))
              .map(NodeVerdict::state)
              .toList();
      boolean isExpected =
          ofFar.stream().noneMatch(NodeState::isGone)
              && (ofFar.isEmpty() || ofFar.get(ofFar.size() - 1) == NodeState.ALIVE);
      assertTrue(isExpected, each + " on the other: " + each.log.verdicts);
    }
  }

  @Example
  void shouldSayThatANodeHasRestartedOrLeft() {
    List<Node> nodes = triangle();
    List<Node> others = nodes.subList(0, 2);
    nodes.get(2).kill();
    nodes.get(2).start();
    mesh.runFor(3 * SECOND_NS);
    assertSaid(others, "c PROCESS_GONE", "c ALIVE");
    assertEquals(1, others.get(0).log.verdicts.get(0).incarnation());
    assertEquals(2, others.get(0).log.verdicts.get(1).incarnation());
    clear();
    nodes.get(2).leave();
    mesh.runFor(3 * SECOND_NS);
    assertSaid(others, "c LEFT");
  }

  /** One datagram in seven is lost, the goodbye and its acknowledgements among them. */
  @Property(tries = 60, shrinking = ShrinkingMode.OFF)
  void shouldSayThatANodeHasLeftThoughItsGoodbyeIsLost(@ForAll long seed) {
    SimulatedMesh random = new SimulatedMesh(seed);
    Random choices = new Random(seed);
    int nodes = 2 + choices.nextInt(6);
    TrueGraph.connect(random, nodes, choices.nextInt(nodes), choices);
    random.nodes.forEach(Node::start);
    random.runFor(5 * SECOND_NS);
    random.wire = new SimulatedMesh.Wire(15, 5, 10_000, 5_000_000);
    Node leaving = random.nodes.get(choices.nextInt(nodes));
    random.nodes.forEach(each -> each.log.verdicts.clear());
    leaving.leave();
    random.runFor(NeighbourNode.LEAVE_NS);
    assertTrue(leaving.program == null, "it takes a bounded time");
    random.wire = SimulatedMesh.Wire.GOOD;
    random.runFor(3 * SECOND_NS);
    for (Node each : random.nodes) {
      List<NodeState> said =
          each.log.verdicts.stream()
              .filter(one -> one.node().equals(leaving.id()))
              .map(NodeVerdict::state)
              .toList();
      boolean isNeighbour =
          random.cables.stream().anyMatch(one -> one.touches(each) && one.touches(leaving));
      String text = "seed " + seed + ": " + leaving + " at " + each + ": " + said;
      if (each != leaving && isNeighbour) {
        assertEquals(List.of(NodeState.LEFT), said, text);
      } else if (each != leaving) {
        // Where four floods in a row are lost behind a neighbour, its silence is judged first.
        assertEquals(NodeState.LEFT, said.get(said.size() - 1), text);
      }
    }
  }

  @Example
  void shouldLeaveInABoundedTimeWhereNobodyAcknowledges() {
    List<Node> nodes = triangle();
    mesh.cables.forEach(each -> mesh.cut(each, false));
    nodes.get(2).leave();
    mesh.runFor(NeighbourNode.LEAVE_NS / 2);
    assertTrue(nodes.get(2).program != null, "neighbours may have missed it");
    mesh.runFor(NeighbourNode.LEAVE_NS / 2);
    assertTrue(nodes.get(2).program == null, "neighbours are not there");
  }

  /** Nodes stop for up to 0.8 s again and again, one at a time. */
  @Property(tries = 10, shrinking = ShrinkingMode.OFF)
  void shouldSayNothingOfNodesThatPause(@ForAll long seed) {
    SimulatedMesh random = new SimulatedMesh(seed);
    Random choices = new Random(seed);
    int nodes = 2 + choices.nextInt(6);
    TrueGraph.connect(random, nodes, choices.nextInt(nodes), choices);
    random.nodes.forEach(Node::start);
    random.runFor(5 * SECOND_NS);
    List<Integer> before = random.nodes.stream().map(one -> one.log.verdicts.size()).toList();
    for (int i = 0; i < 60; i++) {
      Node node = random.nodes.get(choices.nextInt(nodes));
      node.stop();
      random.runFor(100 * MS_NS + choices.nextInt(700) * MS_NS);
      node.resume();
      // Neighbours need 10 ms to find each other again: two pauses without them would be one.
      random.runFor((20 + choices.nextInt(480)) * MS_NS);
    }
    random.runFor(2 * SECOND_NS);
    List<Integer> after = random.nodes.stream().map(one -> one.log.verdicts.size()).toList();
    assertEquals(
        before,
        after,
        () -> "seed " + seed + ": " + random.nodes.stream().map(one -> one.log.verdicts).toList());
    random.nodes.forEach(each -> assertEquals(List.of(), each.log.cuts, "seed " + seed));
  }

  /** One change in a random mesh: all nodes that it leaves connected say it, once, in time. */
  @Property(tries = 60, shrinking = ShrinkingMode.OFF)
  void shouldSayAnyChangeOnceInTime(@ForAll long seed) {
    Random choices = new Random(seed);
    NodeState what =
        List.of(NodeState.STUCK, NodeState.PROCESS_GONE, NodeState.NODE_GONE)
            .get(choices.nextInt(3));
    SimulatedMesh random = new SimulatedMesh(seed);
    int nodes = 3 + choices.nextInt(12);
    TrueGraph.connect(random, nodes, nodes, choices);
    random.nodes.forEach(Node::start);
    random.runFor(12 * SECOND_NS + choices.nextInt(1000) * MS_NS);
    random.nodes.forEach(each -> each.log.verdicts.clear());
    random.nodes.forEach(each -> each.log.cuts.clear());
    Node victim = random.nodes.get(choices.nextInt(nodes));
    switch (what) {
      case STUCK -> victim.stop();
      case PROCESS_GONE -> victim.kill();
      default -> victim.powerOff();
    }
    long beganNs = random.nowNs();
    long limitNs = what == NodeState.PROCESS_GONE ? PROCESS_NS : LIMIT_NS;
    random.runFor(limitNs);
    List<String> late = new ArrayList<>();
    for (Node each : random.nodes) {
      if (each != victim
          && each.log.verdicts.stream().noneMatch(one -> one.node().equals(victim.id()))) {
        late.add(each.name);
      }
    }
    assertEquals(List.of(), late, "seed " + seed + ": " + what + " after " + beganNs);
    random.runFor(5 * SECOND_NS);
    for (Node each : random.nodes) {
      List<NodeVerdict> ofVictim =
          each.log.verdicts.stream().filter(one -> one.node().equals(victim.id())).toList();
      if (each != victim) {
        assertEquals(1, ofVictim.size(), "seed " + seed + ": " + ofVictim);
        assertEquals(what, ofVictim.get(0).state(), "seed " + seed + ": " + ofVictim);
        assertEquals(List.of(), each.log.cuts, "seed " + seed);
      }
    }
  }
}
