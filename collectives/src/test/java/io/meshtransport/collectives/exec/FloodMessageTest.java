// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.exec;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class FloodMessageTest {
  private static List<String> texts(int[]... trees) {
    return FloodMessage.all(List.of(trees)).stream()
        .map(each -> each.from() + ">" + each.to() + Arrays.toString(each.origins()))
        .toList();
  }

  @Test
  void shouldPassOnWithOwnElementsOnALine() {
    assertEquals(
        List.of("0>1[0]", "1>0[1, 2]", "1>2[0, 1]", "2>1[2]"),
        texts(new int[] {-1, 0, 1}, new int[] {1, -1, 1}, new int[] {1, 2, -1}));
  }

  @Test
  void shouldSendToEachOnAFullMesh() {
    assertEquals(
        List.of("0>1[0]", "0>2[0]", "1>0[1]", "1>2[1]", "2>0[2]", "2>1[2]"),
        texts(new int[] {-1, 0, 0}, new int[] {1, -1, 1}, new int[] {2, 2, -1}));
  }

  /** First over cables 0-1 and 2-3, then over the others: eight messages in place of twelve. */
  @Test
  void shouldExchangeInTwoStepsOnARing() {
    assertEquals(
        List.of(
            "0>1[0]",
            "0>3[0, 1]",
            "1>0[1]",
            "1>2[0, 1]",
            "2>1[2, 3]",
            "2>3[2]",
            "3>0[2, 3]",
            "3>2[3]"),
        texts(
            new int[] {-1, 0, 1, 0},
            new int[] {1, -1, 1, 0},
            new int[] {3, 2, -1, 2},
            new int[] {3, 2, 3, -1}));
  }

  /** To the next, then what both have to the one two further. */
  @Test
  void shouldDisseminateInTwoMessagesOfEach() {
    assertEquals(
        List.of(
            "0>1[0]",
            "0>2[0, 3]",
            "1>2[1]",
            "1>3[0, 1]",
            "2>0[1, 2]",
            "2>3[2]",
            "3>0[3]",
            "3>1[2, 3]"),
        texts(
            new int[] {-1, 0, 0, 1},
            new int[] {2, -1, 1, 1},
            new int[] {2, 3, -1, 2},
            new int[] {3, 3, 0, -1}));
  }

  /** All the way round each rank would wait for the one before. */
  @Test
  void shouldNotWaitInACircle() {
    assertEquals(
        List.of("0>1[0]", "0>1[2]", "1>2[0]", "1>2[1]", "2>0[1]", "2>0[2]"),
        texts(new int[] {-1, 0, 1}, new int[] {2, -1, 1}, new int[] {2, 0, -1}));
  }

  @Test
  void shouldNotWaitLongerThanTheLongestPath() {
    // 1 passes on to 2 what 0 has, and 2 to 3 what 1 has: 3 would wait for 0 as well.
    List<String> texts =
        texts(
            new int[] {-1, 0, 1, 0},
            new int[] {1, -1, 1, 2},
            new int[] {3, 2, -1, 2},
            new int[] {3, 2, 3, -1});
    assertEquals(12, texts.size(), texts.toString());
  }
}
