// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class AckDelayTest {
  private static final long SOON = AckDelay.RIDE_NS / 2;

  private final AckDelay delay = new AckDelay();
  private long nowNs = 5;

  /** Acknowledgements leave alone, and something of this end's follows. */
  private void leaveThenFollow(long afterNs) {
    delay.owed(nowNs);
    delay.left(nowNs);
    nowNs += afterNs;
    delay.joined(nowNs);
  }

  private boolean waits() {
    delay.owed(nowNs);
    boolean mayWait = delay.mayWait(nowNs);
    delay.joined(nowNs);
    return mayWait;
  }

  private void learn() {
    for (int i = 0; i < AckDelay.FIRST_NEEDED; i++) {
      leaveThenFollow(SOON);
    }
  }

  private void waitInVain() {
    delay.owed(nowNs);
    nowNs += AckDelay.RIDE_NS;
    assertFalse(delay.mayWait(nowNs));
    delay.left(nowNs);
    nowNs += AckDelay.RIDE_NS;
  }

  @Test
  void shouldNotWaitWhereNothingFollows() {
    for (int i = 0; i < 100; i++) {
      delay.owed(nowNs);
      assertFalse(delay.mayWait(nowNs));
      delay.left(nowNs++);
    }
  }

  @Test
  void shouldNotWaitWhereWhatFollowsIsLate() {
    for (int i = 0; i < 100; i++) {
      leaveThenFollow(AckDelay.RIDE_NS);
      assertFalse(delay.mayWait(nowNs));
    }
  }

  @Test
  void shouldWaitOnceSomethingHasFollowedSoonOftenEnough() {
    for (int i = 1; i < AckDelay.FIRST_NEEDED; i++) {
      leaveThenFollow(SOON);
      delay.owed(nowNs);
      assertFalse(delay.mayWait(nowNs));
      delay.left(nowNs);
    }
    delay.joined(nowNs);
    assertTrue(waits());
  }

  @Test
  void shouldWaitFromTheFirstThatIsOwed() {
    learn();
    delay.owed(nowNs);
    delay.owed(nowNs + SOON);
    assertTrue(delay.mayWait(nowNs + AckDelay.RIDE_NS - 1));
    assertFalse(delay.mayWait(nowNs + AckDelay.RIDE_NS));
  }

  @Test
  void shouldNeedTwiceAsMuchEachTimeItHasWaitedInVain() {
    learn();
    int needed = AckDelay.FIRST_NEEDED;
    for (int i = 0; i < 12; i++) {
      waitInVain();
      needed = Math.min(2 * needed, AckDelay.MAX_NEEDED);
      int learned = 0;
      while (!waits()) {
        learned++;
      }
      assertEquals(needed, learned);
      // It has followed once more than was needed.
      needed--;
    }
  }

  @Test
  void shouldNotGrowBeyondItsLimit() {
    learn();
    for (int i = 0; i < 20; i++) {
      waitInVain();
      int learned = 0;
      while (!waits()) {
        learned++;
      }
      assertTrue(learned <= AckDelay.MAX_NEEDED, learned + " were needed");
    }
  }

  @Test
  void shouldNotWaitInAHurry() {
    learn();
    delay.owed(nowNs);
    delay.hurry();
    assertFalse(delay.mayWait(nowNs));
    delay.left(nowNs);
    assertTrue(waits());
  }

  @Test
  void shouldNotCountWhatNothingWasOwedBefore() {
    for (int i = 0; i < 100; i++) {
      delay.joined(nowNs++);
      delay.left(nowNs++);
    }
    delay.owed(nowNs);
    assertFalse(delay.mayWait(nowNs));
  }
}
