// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class LivenessTest {
  private static final long SILENCE_NS = 100;

  private final Liveness pulse = new Liveness(SILENCE_NS);

  @Test
  void shouldAskOnceWhenThePeerHasBeenSilentForTooLong() {
    assertFalse(pulse.mustAsk(1_000));
    assertFalse(pulse.mustAsk(1_100));
    assertTrue(pulse.mustAsk(1_101));
    pulse.asked();

    assertFalse(pulse.mustAsk(9_999));
  }

  @Test
  void shouldNotAskAgainBeforeTheAnswerEvenIfSomethingElseCompletes() {
    pulse.asked();
    pulse.polled(3);
    assertFalse(pulse.mustAsk(1_000));
    assertFalse(pulse.mustAsk(9_999), "the send queue has room for one question");
    pulse.answered();

    assertFalse(pulse.mustAsk(10_000));
    assertTrue(pulse.mustAsk(10_101));
  }

  @Test
  void shouldBeginTheSilenceAnewWithEveryCompletion() {
    assertFalse(pulse.mustAsk(0));
    pulse.polled(1);
    assertFalse(pulse.mustAsk(150));
    assertFalse(pulse.mustAsk(250));
    assertTrue(pulse.mustAsk(251));
  }

  @Test
  void shouldBearAClockThatWraps() {
    assertFalse(pulse.mustAsk(Long.MAX_VALUE - 10));
    assertFalse(pulse.mustAsk(Long.MIN_VALUE + 89));
    assertTrue(pulse.mustAsk(Long.MIN_VALUE + 90));
  }

  @Test
  void shouldLookAtTheClockWhenIdleAndNowAndThenWhenBusy() {
    assertTrue(pulse.polled(0));
    int looks = 0;
    for (int poll = 0; poll < 160; poll++) {
      looks += pulse.polled(1) ? 1 : 0;
    }
    assertEquals(10, looks);
  }
}
