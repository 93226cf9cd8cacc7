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
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;

/** Records of processes that have ended are no nodes for those that start later. */
class ReportedNodesTest {
  private static final NodeId B = new NodeId(2, 2);

  private final EventLog log = new EventLog();
  private final List<NodeRecord> seen = new ArrayList<>();
  private final ReportedNodes reported = new ReportedNodes(log, seen::add);

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
    assertEquals(List.of(record(1, 2), record(1, 3)), seen);
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

  /** What a late node says is ALIVE in the end, and at all where it does not join two parts. */
  @Property(tries = 40, shrinking = ShrinkingMode.OFF)
  void shouldReportToALateNodeThoseThatLive(@ForAll long seed) {
    SimulatedMesh mesh = new SimulatedMesh(seed);
    Random choices = new Random(seed);
    int nodes = 4 + choices.nextInt(6);
    TrueGraph.connect(mesh, nodes, nodes, choices);
    Node late = mesh.nodes.get(choices.nextInt(nodes));
    List<Node> living = new ArrayList<>(mesh.nodes);
    living.remove(late);
    living.forEach(Node::start);
    mesh.runFor(12 * SECOND_NS);
    for (Node each : List.copyOf(living)) {
      if (living.size() > 1 && choices.nextInt(3) == 0) {
        living.remove(each);
        end(each, choices.nextBoolean());
      }
    }
    mesh.runFor(2 * SECOND_NS + choices.nextInt(3000) * MS_NS);
    boolean isWhole = reachable(living.get(0)).size() == living.size();
    late.start();
    mesh.runFor(3 * SECOND_NS);
    String text = "seed " + seed + ": " + late + " of " + living + ": " + late.log.verdicts;
    Set<NodeId> expected = new HashSet<>(reachable(late));
    expected.remove(late.id());
    Map<NodeId, NodeState> last = new HashMap<>();
    late.log.verdicts.forEach(each -> last.put(each.node(), each.state()));
    if (!isWhole) {
      // One part has old records of the other, until they are exchanged over the late node.
      last.values().removeIf(each -> each != NodeState.ALIVE);
    }
    assertEquals(expected, last.keySet(), text);
    assertTrue(last.values().stream().allMatch(each -> each == NodeState.ALIVE), text);
  }

  private static void end(Node node, boolean isHostOn) {
    if (isHostOn) {
      node.kill();
    } else {
      node.powerOff();
    }
  }

  private static Set<NodeId> reachable(Node from) {
    return from.program.graph().reachableFrom(from.id()).nodes().keySet();
  }
}
