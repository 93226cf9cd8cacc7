// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.relay;

import static io.meshtransport.relay.FlowPatience.FIRST_RESEND_NS;
import static io.meshtransport.relay.FlowPatience.LAST_RESEND_NS;
import static io.meshtransport.relay.FlowPatience.LIMIT_NS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class FlowPatienceTest {
  /** A clock of System.nanoTime may begin anywhere. */
  private static final long START_NS = -3 * LIMIT_NS;

  private final FlowPatience patience = new FlowPatience(START_NS);

  @Test
  void shouldDoubtAPathAfterTwoResendsWithoutASignOfLife() {
    long nowNs = resent(START_NS);
    assertFalse(patience.isPathInDoubt());
    patience.heard(nowNs);
    nowNs = resent(nowNs);
    assertFalse(patience.isPathInDoubt());
    nowNs = resent(nowNs);
    assertTrue(patience.isPathInDoubt());
    patience.pathTried(false);
    assertFalse(patience.isPathInDoubt());
    nowNs = resent(resent(nowNs));
    assertTrue(patience.isPathInDoubt());
    patience.progress(nowNs);
    assertFalse(patience.isPathInDoubt());
  }

  /** Sends again as soon as that is due, and returns when. */
  private long resent(long fromNs) {
    long nowNs = fromNs;
    while (!patience.isResendDue(nowNs)) {
      nowNs += RelayNode.TICK_NS;
    }
    patience.resent(nowNs);
    return nowNs;
  }

  @Test
  void shouldGiveEachPathAsLongAsTheFirstUntilAllHaveBeenTried() {
    long nowNs = resent(resent(START_NS));
    patience.pathTried(false);
    assertTrue(patience.isResendDue(nowNs + FIRST_RESEND_NS + 1));
    patience.pathTried(true);
    assertFalse(patience.isResendDue(nowNs + 2 * FIRST_RESEND_NS));
    patience.pathTried(false);
    assertFalse(patience.isResendDue(nowNs + 4 * FIRST_RESEND_NS));
    assertTrue(patience.isResendDue(nowNs + 4 * FIRST_RESEND_NS + 1));
    patience.heard(nowNs);
    patience.pathTried(false);
    assertTrue(patience.isResendDue(nowNs + FIRST_RESEND_NS + 1));
  }

  @Test
  void shouldDoubtAPathWhoseFirstHopTakesNothingAsSoonAsOneThatIsSentTo() {
    long nowNs = START_NS;
    for (int i = 1; i <= 3; i++) {
      assertFalse(patience.isPathInDoubt());
      assertFalse(patience.isResendDue(nowNs + FIRST_RESEND_NS));
      nowNs += FIRST_RESEND_NS + 1;
      assertTrue(patience.isResendDue(nowNs));
      patience.stalled(nowNs);
    }
    assertTrue(patience.isPathInDoubt());
  }

  @Test
  void shouldCountAsSilentWhoShowsNoLifeForAsLongAsAResendTakes() {
    patience.heard(START_NS);
    assertFalse(patience.isSilent(START_NS + FIRST_RESEND_NS));
    assertTrue(patience.isSilent(START_NS + FIRST_RESEND_NS + 1));
    patience.resent(START_NS + FIRST_RESEND_NS);
    assertFalse(patience.isSilent(START_NS + 2 * FIRST_RESEND_NS));
  }

  @Test
  void shouldWaitForAPathFromTheBeginningOn() {
    assertFalse(patience.isPathless(START_NS + LIMIT_NS));
    assertTrue(patience.isPathless(START_NS + LIMIT_NS + 1));
  }

  @Test
  void shouldWaitForAPathFromItsLossOn() {
    long lostNs = START_NS + 5 * LIMIT_NS;
    patience.pathLost(lostNs);
    assertFalse(patience.isPathless(lostNs + LIMIT_NS));
    assertTrue(patience.isPathless(lostNs + LIMIT_NS + 1));
  }

  @Test
  void shouldGiveThePeerTimeFromWhenItIsWaitedForOrHeardLast() {
    long waitingNs = START_NS + 2 * LIMIT_NS;
    patience.waiting(true, waitingNs);
    assertFalse(patience.isUnheard(waitingNs + LIMIT_NS));
    assertTrue(patience.isUnheard(waitingNs + LIMIT_NS + 1));
    patience.heard(waitingNs + LIMIT_NS);
    assertFalse(patience.isUnheard(waitingNs + 2 * LIMIT_NS));
    assertEquals(7, patience.silentNs(waitingNs + LIMIT_NS + 7));
  }

  @Test
  void shouldSendAgainLaterEachTimeUntilThereIsProgress() {
    patience.waiting(true, START_NS);
    long nowNs = START_NS;
    for (long delayNs = FIRST_RESEND_NS; delayNs < LAST_RESEND_NS; delayNs *= 2) {
      assertFalse(patience.isResendDue(nowNs + delayNs));
      nowNs += delayNs + 1;
      assertTrue(patience.isResendDue(nowNs));
      patience.resent(nowNs);
    }
    patience.resent(nowNs);
    assertTrue(patience.isResendDue(nowNs + LAST_RESEND_NS + 1));
    patience.progress(nowNs);
    assertTrue(patience.isResendDue(nowNs + FIRST_RESEND_NS + 1));
  }

  @Test
  void shouldBeginItsTimesAgainWithEachWait() {
    patience.waiting(true, START_NS);
    patience.waiting(false, START_NS + 1);
    assertFalse(patience.isWaiting());
    patience.waiting(true, START_NS + LIMIT_NS);
    assertTrue(patience.isWaiting());
    assertFalse(patience.isResendDue(START_NS + LIMIT_NS + FIRST_RESEND_NS));
    // It goes on, and has not begun again.
    patience.waiting(true, START_NS + LIMIT_NS + 1);
    assertTrue(patience.isResendDue(START_NS + LIMIT_NS + FIRST_RESEND_NS + 1));
  }
}
