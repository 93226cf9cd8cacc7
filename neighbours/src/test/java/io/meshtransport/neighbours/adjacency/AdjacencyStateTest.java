// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.adjacency;

import static io.meshtransport.neighbours.adjacency.AdjacencyState.DOWN;
import static io.meshtransport.neighbours.adjacency.AdjacencyState.HEARD;
import static io.meshtransport.neighbours.adjacency.AdjacencyState.UP;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.meshtransport.handshake.NodeId;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class AdjacencyStateTest {
  @Test
  void shouldMoveAlongTheArrowsThatAreDrawn() {
    Set<List<AdjacencyState>> drawn =
        Set.of(List.of(HEARD, UP), List.of(UP, HEARD), List.of(HEARD, DOWN), List.of(UP, DOWN));
    Set<List<AdjacencyState>> allowed = new HashSet<>();
    for (AdjacencyState from : AdjacencyState.values()) {
      for (AdjacencyState to : AdjacencyState.values()) {
        if (from.canMoveTo(to)) {
          allowed.add(List.of(from, to));
        }
      }
    }
    assertEquals(drawn, allowed);
  }

  @Test
  void shouldRefuseOtherArrows() {
    Adjacency adjacency = new Adjacency(new AdjacencyId(1, new NodeId(1, 1), 1), 1, 9, 0);
    adjacency.moveTo(DOWN, 1);
    assertThrows(IllegalStateException.class, () -> adjacency.moveTo(UP, 2));
  }
}
