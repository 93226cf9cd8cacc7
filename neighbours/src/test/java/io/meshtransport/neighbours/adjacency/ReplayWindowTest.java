// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.adjacency;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class ReplayWindowTest {
  @Property
  void shouldAcceptEachCounterOnceAndNoneFarBelow(
      @ForAll @Size(max = 300) List<@LongRange(min = 1, max = 400) Long> counters) {
    ReplayWindow window = new ReplayWindow();
    Set<Long> accepted = new HashSet<>();
    long highest = 0;
    for (long counter : counters) {
      boolean isNew = !accepted.contains(counter) && highest - counter < ReplayWindow.WIDTH;
      assertEquals(isNew, window.accept(counter), counter + " below " + highest);
      if (isNew) {
        accepted.add(counter);
        highest = Math.max(highest, counter);
      }
    }
  }

  @Test
  void shouldAcceptTheHighestCounterThereIs() {
    ReplayWindow window = new ReplayWindow();
    assertTrue(window.accept(Long.MAX_VALUE));
    assertFalse(window.accept(1));
    assertFalse(window.accept(Long.MAX_VALUE));
  }
}
