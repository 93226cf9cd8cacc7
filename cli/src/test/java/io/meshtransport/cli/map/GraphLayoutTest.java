// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli.map;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** {@link GraphLayout}, {@link Box} and {@link Segment}. */
class GraphLayoutTest {
  private static final double NEAR = 0.05;

  @Test
  void shouldMakeALineStraight() {
    double[][] at =
        GraphLayout.of(4, List.of(new int[] {0, 1}, new int[] {1, 2}, new int[] {2, 3}));

    for (int i = 0; i < at.length; i++) {
      assertEquals(at[0][0] + i, at[i][0], NEAR);
      assertEquals(at[0][1], at[i][1], NEAR);
    }
  }

  @Test
  void shouldMakeATriangleWithTheFirstNodeOnTop() {
    double[][] at =
        GraphLayout.of(3, List.of(new int[] {0, 1}, new int[] {1, 2}, new int[] {2, 0}));

    assertTrue(at[0][1] < at[1][1]);
    assertEquals(at[1][1], at[2][1], NEAR);
    assertEquals(1, new Segment(at[1][0], at[1][1], at[2][0], at[2][1]).length(), NEAR);
  }

  @Test
  void shouldSetPartsSideBySide() {
    double[][] at = GraphLayout.of(3, List.of(new int[] {0, 2}));

    assertTrue(at[1][0] > Math.max(at[0][0], at[2][0]) + 1);
  }

  @Test
  void shouldBeTheSameEachTime() {
    List<int[]> edges = List.of(new int[] {0, 1}, new int[] {1, 2}, new int[] {1, 3});

    assertArrayEquals(GraphLayout.of(5, edges), GraphLayout.of(5, edges));
  }

  @Test
  void shouldKnowWhatCrossesABox() {
    Box box = new Box(10, 10, 4, 2);

    assertTrue(box.isCrossedBy(new Segment(0, 0, 20, 20)));
    assertTrue(box.isCrossedBy(new Segment(0, 10, 20, 10)));
    assertEquals(false, box.isCrossedBy(new Segment(0, 12, 20, 12)));
    assertEquals(false, box.isCrossedBy(new Segment(0, 10, 7, 10)));
    assertTrue(box.overlaps(new Box(13, 10, 4, 2), 0));
    assertEquals(false, box.overlaps(new Box(14, 10, 4, 2), 0));
  }
}
