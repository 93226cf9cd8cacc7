// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.spi.TransportException.Reason;
import org.junit.jupiter.api.Test;

/** Tests {@link Completions}. */
class CompletionsTest {
  @Test
  void shouldKeepEachEntryUntilItIsCleared() {
    TransportException why = new TransportException(Reason.TIMED_OUT, "late");
    Completions table = new Completions(2);
    assertEquals(2, table.capacity());
    assertEquals(0, table.count());
    table.add(null, CompletionKind.SENT, 1, 2, 3, null);
    assertFalse(table.isFull());
    table.add(null, CompletionKind.FAILED, -1, Long.MAX_VALUE, 0, why);
    assertTrue(table.isFull());
    assertEquals(2, table.count());
    assertEquals(CompletionKind.SENT, table.kind(0));
    assertEquals(1, table.userData(0));
    assertEquals(2, table.request(0));
    assertEquals(3, table.lengthBytes(0));
    assertNull(table.failure(0));
    assertEquals(CompletionKind.FAILED, table.kind(1));
    assertEquals(-1, table.userData(1));
    assertEquals(Long.MAX_VALUE, table.request(1));
    assertSame(why, table.failure(1));

    table.clear();
    assertEquals(0, table.count());
    assertFalse(table.isFull());
    table.clear();
    table.add(null, CompletionKind.GOT, 4, 5, 6, null);
    assertEquals(1, table.count());
    assertEquals(CompletionKind.GOT, table.kind(0));
    assertNull(table.failure(1), "a cleared table keeps nothing alive");
  }

  @Test
  void shouldRefuseWhatCannotBe() {
    assertThrows(IllegalArgumentException.class, () -> new Completions(0));
    assertThrows(IllegalArgumentException.class, () -> new Completions(-1));
    Completions full = new Completions(1);
    full.add(null, CompletionKind.SENT, 0, 0, 0, null);
    assertThrows(
        IndexOutOfBoundsException.class, () -> full.add(null, CompletionKind.SENT, 0, 0, 0, null));
  }
}
