// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.linkstate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class OriginationPaceTest {
  private final OriginationPace pace = new OriginationPace(0);

  @Test
  void shouldCombineChangesOfAMoment() {
    assertFalse(pace.isDue(OriginationPace.DELAY_NS - 1));
    pace.changed(OriginationPace.DELAY_NS - 1);
    assertTrue(pace.isDue(OriginationPace.DELAY_NS));
  }

  @Test
  void shouldSlowDownWhileSomethingChangesAllTheTimeAndRecover() {
    long nowNs = OriginationPace.DELAY_NS;
    long gapNs = 0;
    for (int i = 0; i < 10; i++) {
      pace.originated(nowNs);
      pace.changed(nowNs);
      gapNs = pace.nextDueNs() - nowNs;
      assertEquals(
          Math.min(OriginationPace.MAX_GAP_NS, OriginationPace.MIN_GAP_NS << i), gapNs, "" + i);
      nowNs = pace.nextDueNs();
    }
    assertEquals(OriginationPace.MAX_GAP_NS, gapNs);
    pace.originated(nowNs);
    nowNs += 3 * OriginationPace.MAX_GAP_NS;
    pace.changed(nowNs);
    assertEquals(nowNs + OriginationPace.DELAY_NS, pace.nextDueNs());
    pace.originated(nowNs);
    pace.changed(nowNs);
    assertEquals(nowNs + OriginationPace.MIN_GAP_NS, pace.nextDueNs());
  }

  @Test
  void shouldRefreshWhereNothingChanges() {
    pace.originated(7);
    assertFalse(pace.isDue(7 + OriginationPace.REFRESH_NS - 1));
    assertTrue(pace.isDue(7 + OriginationPace.REFRESH_NS));
  }
}
