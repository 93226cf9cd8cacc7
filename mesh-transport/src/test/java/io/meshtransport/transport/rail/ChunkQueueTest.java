// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.rail;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class ChunkQueueTest {
  @Test
  void shouldGiveBackInOrderAroundItsEnd() {
    ChunkQueue chunks = new ChunkQueue(3);
    for (int i = 0; i < 10; i++) {
      chunks.add(i, 1L << 40 | i, 100 + i);
      if (i > 1) {
        assertTrue(chunks.isFull());
        assertEquals(i - 2, chunks.slot());
        assertEquals(1L << 40 | i - 2, chunks.offsetBytes());
        assertEquals(98 + i, chunks.lengthBytes());
        chunks.remove();
      }
    }
    assertEquals(2, chunks.size());
  }

  @Test
  void shouldTakeOverAllOfAnother() {
    ChunkQueue one = new ChunkQueue(2);
    one.add(1, 10, 100);
    one.add(2, 20, 200);
    ChunkQueue other = new ChunkQueue(4).takeAll(one);
    assertEquals(0, one.size());
    assertEquals(2, other.size());
    assertEquals(1, other.slot());
    other.remove();
    assertEquals(2, other.slot());
  }
}
