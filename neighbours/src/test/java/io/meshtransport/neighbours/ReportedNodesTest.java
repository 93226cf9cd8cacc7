// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours;

import static io.meshtransport.neighbours.SimulatedMesh.MS_NS;
import static io.meshtransport.neighbours.SimulatedMesh.SECOND_NS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.handshake.NodeId;
import io.meshtransport.neighbours.SimulatedMesh.Node;
import io.meshtransport.neighbours.verdict.NodeState;
import io.meshtransport.neighbours.verdict.NodeVerdict;
import io.meshtransport.neighbours.wire.NodeRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;

/** Records of processes that have ended are no nodes for those that start later. */
class ReportedNodesTest {
  private static final NodeId B = new NodeId(2, 2);

  private final EventLog log = new EventLog();
  private final ReportedNodes reported = new ReportedNodes(log);

  private static NodeRecord record(long incarnation, long sequence) {
    return new NodeRecord(
        B, incarnation, sequence, false, "b" + sequence, List.of(), List.of(), List.of());
  }

  private static NodeVerdict verdict(long incarnation, NodeState state) {
    return new NodeVerdict(B, "b", incarnation, state, "");
  }

  @Example
  void shouldReportTheNewestRecordOfANodeWithItsFirstVerdict() {
    reported.stored(record(1, 1), false);
    reported.stored(record(1, 2), false);
    assertEquals(List.of(), log.nodes);
    reported.judged(verdict(1, NodeState.ALIVE));
    reported.judged(verdict(1, NodeState.STUCK));
    reported.stored(record(1, 3), true);
    assertEquals(List.of("appeared b2", "changed b3"), log.nodes);
  }

  @Example
  void shouldReportALaterLifeOnlyWithAVerdictOnIt() {
    reported.stored(record(1, 1), true);
    reported.stored(record(2, 2), false);
    reported.judged(verdict(1, NodeState.PROCESS_GONE));
    assertEquals(List.of("appeared b1"), log.nodes);
    reported.judged(verdict(2, NodeState.ALIVE));
    assertEquals(List.of("appeared b1", "changed b2 restarted"), log.nodes);
  }

  @Example
  void shouldForgetARecordThatExpiresWithoutAVerdict() {
    reported.stored(record(1, 1), false);
    reported.removed(record(1, 1));
    reported.judged(verdict(1, NodeState.ALIVE));
    assertEquals(List.of(), log.nodes);
  }

  /** A triangle in which another process takes the place, the cables and the name of c. */
  @Example
  void shouldNotReportTheFormerLifeOfARestartedNodeToIt() {
    SimulatedMesh mesh = new SimulatedMesh(7);
    Node a = mesh.node("a");
    Node b = mesh.node("b");
    Node former = mesh.node("c");
    Node restarted = mesh.node("c");
    mesh.connect(a, b);
    mesh.connect(b, former, restarted);
    mesh.connect(a, former, restarted);
    List.of(a, b, former).forEach(Node::start);
    mesh.runFor(3 * SECOND_NS);
    former.kill();
    mesh.runFor(2 * SECOND_NS);
    restarted.start();
    mesh.runFor(2 * SECOND_NS);
    assertTrue(restarted.program.graph().nodes().containsKey(former.id()));
    assertReported(restarted, List.of("appeared a", "appeared b"), List.of("a ALIVE", "b ALIVE"));
    a.kill();
    mesh.runFor(SECOND_NS);
    a.log.nodes.clear();
    a.log.verdicts.clear();
    a.start();
    mesh.runFor(2 * SECOND_NS);
    assertReported(a, List.of("appeared b", "appeared c"), List.of("b ALIVE", "c ALIVE"));
    assertEquals(
        restarted.id(),
        a.log.verdicts.stream().filter(ReportedNodesTest::isC).findFirst().orElseThrow().node());
  }

  private static boolean isC(NodeVerdict verdict) {
    return verdict.name().equals("c");
  }

  private static void assertReported(Node by, List<String> nodes, List<String> verdicts) {
    assertEquals(
        nodes, by.log.nodes.stream().filter(each -> each.startsWith("appeared")).sorted().toList());
    assertEquals(
        verdicts,
        by.log.verdicts.stream().map(each -> each.name() + " " + each.state()).sorted().toList());
  }

  /** A node that starts while some are dead and others silent hears of those that live. */
  @Property(tries = 40, shrinking = ShrinkingMode.OFF)
  void shouldReportToALateNodeThoseThatLive(@ForAll long seed) {
    SimulatedMesh mesh = new SimulatedMesh(seed);
    Random choices = new Random(seed);
    int nodes = 4 + choices.nextInt(6);
    TrueGraph.connect(mesh, nodes, nodes, choices);
    Node late = mesh.nodes.get(choices.nextInt(nodes));
    mesh.nodes.stream().filter(each -> each != late).forEach(Node::start);
    mesh.runFor(5 * SECOND_NS);
    List<Node> dead = new ArrayList<>();
    for (Node each : mesh.nodes) {
      if (each != late && choices.nextInt(3) == 0) {
        dead.add(each);
        if (choices.nextBoolean()) {
          each.kill();
        } else {
          each.powerOff();
        }
      }
    }
    mesh.runFor(2 * SECOND_NS + choices.nextInt(3000) * MS_NS);
    late.start();
    mesh.runFor(3 * SECOND_NS);
    List<String> expected =
        late.program.graph().reachableFrom(late.id()).nodes().values().stream()
            .filter(each -> !each.origin().equals(late.id()))
            .map(each -> "appeared " + each.name())
            .sorted()
            .toList();
    List<String> appeared =
        late.log.nodes.stream().filter(each -> each.startsWith("appeared")).sorted().toList();
    assertEquals(expected, appeared, "seed " + seed);
    for (Node each : dead) {
      assertTrue(!appeared.contains("appeared " + each.name), "seed " + seed + ": " + each);
    }
  }
}
