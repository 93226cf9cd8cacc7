// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.plan;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;

class SpanningTreeTest {
  @Test
  void shouldAnswerChildrenAndDepths() {
    SpanningTree tree = new SpanningTree(1, List.of(1, -1, 1, 2), 3);
    assertArrayEquals(new int[] {0, 2}, tree.children(1));
    assertArrayEquals(new int[] {3}, tree.children(2));
    assertArrayEquals(new int[0], tree.children(3));
    assertEquals(2, tree.depth(3));
    assertEquals(2, tree.depth());
  }

  @Test
  void shouldRefuseWhatIsNoTree() {
    assertThrows(IllegalArgumentException.class, () -> new SpanningTree(0, List.of(-1, 2, 1), 1));
    assertThrows(IllegalArgumentException.class, () -> new SpanningTree(0, List.of(-1, -1), 1));
    assertThrows(IllegalArgumentException.class, () -> new SpanningTree(0, List.of(1, 0), 1));
    assertThrows(IllegalArgumentException.class, () -> new SpanningTree(0, List.of(-1, 0), 0));
    assertThrows(IllegalArgumentException.class, () -> new SpanningTree(2, List.of(-1, 0), 1));
  }
}
