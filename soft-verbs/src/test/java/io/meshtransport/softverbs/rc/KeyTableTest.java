// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.rc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/** Keys that are drawn from given numbers. See {@link MemoryKeysTest} for many and random ones. */
class KeyTableTest {
  private final Queue<Integer> numbers = new ArrayDeque<>();
  private final KeyTable table = new KeyTable(new Drawn(numbers));

  private record Drawn(Queue<Integer> numbers) implements RandomGenerator {
    @Override
    public long nextLong() {
      throw new AssertionError("keys have 32 bits");
    }

    @Override
    public int nextInt() {
      return numbers.remove();
    }
  }

  private static SoftMemoryRegion region(long address) {
    return new SoftMemoryRegion(null, address, List.of(), 0);
  }

  @Test
  void shouldDrawUntilTheKeyIsNotZeroAndItsSlotIsFree() {
    numbers.addAll(List.of(0, 0x50, 0x1230, 0x1231));
    SoftMemoryRegion first = region(1);
    SoftMemoryRegion second = region(2);
    assertEquals(0x50, table.add(first));
    assertEquals(0x1231, table.add(second), "0x1230 has the slot of 0x50");
    assertSame(first, table.find(0x50));
    assertSame(second, table.find(0x1231));
    assertNull(table.find(0x1230));
    assertEquals(2, table.used());
  }

  @Test
  void shouldFreeTheSlotOfARegionThatIsRemoved() {
    numbers.addAll(List.of(0x50, 0x1230));
    table.add(region(1));
    table.remove(0x60);
    assertEquals(1, table.used(), "0x60 is another key of that slot");
    table.remove(0x50);
    table.remove(0x50);
    assertEquals(0, table.used());
    assertNull(table.find(0x50));
    assertEquals(0x1230, table.add(region(2)));
  }

  @Test
  void shouldBeHalfEmpty() {
    for (int i = 1; i <= 8; i++) {
      numbers.add(i);
      table.add(region(i));
    }
    // The ninth doubles the table to 32 slots: 0x11 and 1 share a slot of 16, but none of 32.
    numbers.addAll(List.of(0x11, 0x12));
    assertEquals(0x11, table.add(region(9)));
    for (int i = 1; i <= 8; i++) {
      assertEquals(i, table.find(i).address());
    }
    assertEquals(9, table.find(0x11).address());
    assertEquals(1, numbers.size(), "it drew once");
  }
}
