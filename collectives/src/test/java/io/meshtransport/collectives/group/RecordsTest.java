// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Set;
import org.junit.jupiter.api.Test;

/** {@link Records} of two ranks. */
class RecordsTest {
  private final Records records = new Records(2);

  private boolean add(int round, int rank, int value) {
    return records.add(
        new GroupMessage(GroupMessage.Kind.RECORD, rank, round, new byte[] {(byte) value}));
  }

  @Test
  void shouldEndARoundWhenAllHaveARecord() {
    assertEquals(Set.of(0, 1), records.missing());
    assertTrue(add(0, 1, 5));
    assertFalse(add(0, 1, 6), "the first counts, and only that is passed on");
    assertFalse(records.isComplete());
    assertTrue(add(0, 0, 4));
    assertTrue(records.isComplete());
    assertEquals(2, records.known().size());
    byte[][] all = records.end();
    assertArrayEquals(new byte[] {4}, all[0]);
    assertArrayEquals(new byte[] {5}, all[1]);
    assertEquals(1, records.round());
    assertFalse(records.isComplete());
  }

  @Test
  void shouldKeepWhatAFastRankSaysEarly() {
    assertTrue(add(1, 1, 9));
    assertFalse(add(100, 1, 9), "no rank is so far ahead");
    add(0, 0, 0);
    add(0, 1, 0);
    records.end();
    assertFalse(add(0, 1, 0), "a round that is over");
    assertEquals(Set.of(0), records.missing());
  }
}
