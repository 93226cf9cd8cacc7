// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli.collectives;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

class TreePictureTest {
  private static String picture(String plan) {
    return new TreePicture(List.of("a", "b", "c", "d"), plan).toString();
  }

  @Test
  void shouldDrawTreesWithTheirSharesBesideEachOther() {
    assertEquals(
        """
        75 %       25 %
        b          a
        ├─ a       └─ b
        └─ c          └─ c
           └─ d          └─ d\
        """
            .indent(4)
            .stripTrailing(),
        picture(
            "over 2 trees; 300 elements by parents [1, -1, 1, 2];"
                + " 100 elements by parents [-1, 0, 1, 2]; expected 5 us"));
  }

  @Test
  void shouldDrawNothingWithoutTrees() {
    assertEquals("", picture("in one shot: from each rank to all"));
  }
}
