// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class TransferListTest {
  @Test
  void shouldKeepEveryPieceAsItWasAdded() {
    TransferList list = new TransferList();
    for (int round = 0; round < 2; round++) {
      for (int i = 0; i < TransferList.MAX_PIECES; i++) {
        list.add(null, i, 2L * i, null, 3L * i);
      }
      assertEquals(TransferList.MAX_PIECES, list.size());
      for (int i = 0; i < list.size(); i++) {
        assertEquals(i, list.offsetBytes(i));
        assertEquals(2L * i, list.lengthBytes(i));
        assertEquals(3L * i, list.remoteOffsetBytes(i));
      }
      assertThrows(IllegalStateException.class, () -> list.add(null, 0, 0, null, 0));
      assertEquals(0, list.clear().size());
    }
  }
}
