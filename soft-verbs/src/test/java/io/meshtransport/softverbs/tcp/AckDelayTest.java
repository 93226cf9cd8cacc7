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

  /** How often acknowledgements leave with something until they wait for it. */
  private int learnAnew() {
    int rides = 0;
    while (!waits()) {
      rides++;
    }
    return rides;
  }

  @Test
  void shouldNeedMoreEachTimeItHasWaitedInVain() {
    learn();
    int before = AckDelay.FIRST_NEEDED;
    for (int i = 0; i < 5; i++) {
      waitInVain();
      int rides = learnAnew();
      assertTrue(rides > before * 3 / 2, rides + " after " + before);
      before = rides;
    }
  }

  @Test
  void shouldNeverNeedMoreThanItsLimit() {
    learn();
    for (int i = 0; i < 20; i++) {
      waitInVain();
      assertTrue(learnAnew() <= AckDelay.MAX_NEEDED);
    }
  }

  @Test
  void shouldNeedLessAgainWhereItNeverWaitsInVain() {
    learn();
    for (int i = 0; i < 5; i++) {
      waitInVain();
      learnAnew();
    }
    for (int i = 0; i < AckDelay.MAX_NEEDED; i++) {
      assertTrue(waits());
    }
    waitInVain();
    assertEquals(2 * AckDelay.FIRST_NEEDED, learnAnew());
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
