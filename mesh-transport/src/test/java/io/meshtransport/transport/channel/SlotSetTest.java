// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.BitSet;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests {@link SlotSet}. */
class SlotSetTest {
  private static final int STEPS = 20_000;

  private final SlotSet slots = new SlotSet();

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 62, 63, 64, 65, 127, 128, 2047, 2048, 4030, 4031, 4032, 4095})
  void shouldHaveOneMember(int slot) {
    assertFalse(slots.contains(slot));
    slots.remove(slot);
    assertTrue(slots.isEmpty());
    slots.add(slot);
    slots.add(slot);
    assertTrue(slots.contains(slot));
    assertFalse(slots.isEmpty());
    assertEquals(slot, slots.next(0));
    assertEquals(slot, slots.next(slot));
    assertEquals(-1, slots.next(slot + 1));
    slots.remove(slot);
    assertTrue(slots.isEmpty());
    assertFalse(slots.contains(slot));
    assertEquals(-1, slots.next(0));
  }

  @Test
  void shouldBeEmptyAtFirstAndAfterItIsCleared() {
    assertEquals(-1, slots.next(0));
    assertEquals(-1, slots.next(SlotSet.MAX_SLOTS - 1));
    for (int slot = 0; slot < SlotSet.MAX_SLOTS; slot++) {
      slots.add(slot);
    }
    int count = 0;
    for (int slot = slots.next(0); slot >= 0; slot = slots.next(slot + 1)) {
      assertEquals(count++, slot);
    }
    assertEquals(SlotSet.MAX_SLOTS, count);
    slots.clear();
    assertTrue(slots.isEmpty());
    assertEquals(-1, slots.next(0));
    slots.add(100);
    assertEquals(100, slots.next(0));
  }

  @ParameterizedTest
  @ValueSource(ints = {10, 64, 65, 200, SlotSet.MAX_SLOTS})
  void shouldDoAsABitSetDoes(int bound) {
    long seed = Long.getLong("mesh.test.seed", System.nanoTime());
    System.out.println("slots: -Dmesh.test.seed=" + seed);
    Random random = new Random(seed);
    BitSet model = new BitSet();
    for (int step = 0; step < STEPS; step++) {
      int slot = random.nextInt(bound);
      if (random.nextInt(3) > 0) {
        slots.remove(slot);
        model.clear(slot);
      } else {
        slots.add(slot);
        model.set(slot);
      }
      int from = random.nextInt(bound);
      assertEquals(model.nextSetBit(from), slots.next(from));
      assertEquals(model.get(from), slots.contains(from));
      assertEquals(model.isEmpty(), slots.isEmpty());
    }
  }
}
