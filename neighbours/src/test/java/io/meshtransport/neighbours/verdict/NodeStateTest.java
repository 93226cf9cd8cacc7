// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.verdict;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** {@link NodeState}, and {@link NodeEvidence}, the table of verdicts. */
class NodeStateTest {
  private static final Map<NodeState, Set<NodeState>> ARROWS =
      Map.of(
          NodeState.ALIVE,
          Set.of(
              NodeState.STUCK,
              NodeState.PROCESS_GONE,
              NodeState.NODE_GONE,
              NodeState.UNREACHABLE,
              NodeState.LEFT),
          NodeState.STUCK,
          Set.of(
              NodeState.ALIVE,
              NodeState.PROCESS_GONE,
              NodeState.NODE_GONE,
              NodeState.UNREACHABLE,
              NodeState.LEFT),
          NodeState.UNREACHABLE,
          Set.of(
              NodeState.ALIVE,
              NodeState.STUCK,
              NodeState.PROCESS_GONE,
              NodeState.NODE_GONE,
              NodeState.LEFT),
          NodeState.PROCESS_GONE,
          Set.of(NodeState.ALIVE, NodeState.LEFT),
          NodeState.NODE_GONE,
          Set.of(NodeState.ALIVE, NodeState.LEFT),
          NodeState.LEFT,
          Set.of(NodeState.ALIVE));

  @Test
  void shouldMoveAlongTheArrowsOnly() {
    for (NodeState from : NodeState.values()) {
      for (NodeState to : NodeState.values()) {
        assertEquals(ARROWS.get(from).contains(to), from.canMoveTo(to), from + " to " + to);
      }
    }
    assertFalse(NodeState.STUCK.isGone());
  }

  private static NodeEvidence evidence(boolean isHeard, boolean isReachable, boolean isOver) {
    return new NodeEvidence(false, isHeard, isReachable, false, false, false, false, true, isOver);
  }

  private static Optional<NodeState> silent(
      boolean refused, boolean accepted, boolean witness, boolean isOver) {
    return new NodeEvidence(false, false, false, refused, accepted, false, false, witness, isOver)
        .state();
  }

  @Test
  void shouldJudgeByHellosAndPaths() {
    assertEquals(Optional.of(NodeState.ALIVE), evidence(true, false, true).state());
    assertEquals(Optional.of(NodeState.ALIVE), evidence(false, true, true).state());
    assertEquals(Optional.empty(), evidence(false, false, false).state());
    assertEquals(Optional.of(NodeState.NODE_GONE), evidence(false, false, true).state());
  }

  @Test
  void shouldJudgeSilenceByWhatTheHostAnswers() {
    assertEquals(Optional.of(NodeState.PROCESS_GONE), silent(true, false, true, false));
    assertEquals(Optional.empty(), silent(false, true, true, false));
    assertEquals(Optional.of(NodeState.STUCK), silent(false, true, true, true));
    assertEquals(Optional.of(NodeState.NODE_GONE), silent(false, false, true, true));
    assertEquals(Optional.of(NodeState.UNREACHABLE), silent(false, false, false, true));
  }

  @Test
  void shouldJudgeByWhatOthersReport() {
    NodeEvidence refused =
        new NodeEvidence(false, false, false, false, false, true, false, true, false);
    assertEquals(Optional.of(NodeState.PROCESS_GONE), refused.state());
    NodeEvidence accepted =
        new NodeEvidence(false, false, false, false, false, false, true, true, true);
    assertEquals(Optional.of(NodeState.STUCK), accepted.state());
    NodeEvidence left = new NodeEvidence(true, true, true, false, false, false, false, true, true);
    assertEquals(Optional.of(NodeState.LEFT), left.state());
  }
}
