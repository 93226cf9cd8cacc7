// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class GatherListTest {
  @Test
  void shouldHoldAsManyPiecesAsItSaysAndNoMore() {
    GatherList list = new GatherList();
    for (int round = 0; round < 2; round++) {
      for (int i = 0; i < GatherList.MAX_PIECES; i++) {
        list.add(null, i, 2L * i);
      }
      assertThrows(IllegalStateException.class, () -> list.add(null, 0, 0));
      assertEquals(GatherList.MAX_PIECES, list.size());
      assertEquals(1000, list.offsetBytes(1000));
      assertEquals(2000, list.lengthBytes(1000));
      assertEquals(0, list.clear().size());
    }
  }
}
