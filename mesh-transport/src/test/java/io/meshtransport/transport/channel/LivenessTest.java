// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class LivenessTest {
  private static final long SILENCE_NS = 100;

  private final Liveness pulse = new Liveness(SILENCE_NS);

  @Test
  void shouldAskOnceWhenThePeerHasBeenSilentForTooLong() {
    assertFalse(pulse.mustProbe(1_000));
    assertFalse(pulse.mustProbe(1_100));
    assertTrue(pulse.mustProbe(1_101));
    pulse.probed();

    assertFalse(pulse.mustProbe(9_999));
  }

  @Test
  void shouldNotAskAgainBeforeTheAnswerEvenIfSomethingElseCompletes() {
    assertFalse(pulse.mustProbe(800));
    assertTrue(pulse.mustProbe(901));
    pulse.probed();
    pulse.polled(3);
    assertFalse(pulse.mustProbe(1_000));
    assertFalse(pulse.mustProbe(9_999), "the send queue has room for one question");
    pulse.answered();

    assertFalse(pulse.mustProbe(10_000));
    assertTrue(pulse.mustProbe(10_101));
  }

  @Test
  void shouldBeginTheSilenceAnewWithEveryCompletion() {
    assertFalse(pulse.mustProbe(0));
    pulse.polled(1);
    assertFalse(pulse.mustProbe(150));
    assertFalse(pulse.mustProbe(250));
    assertTrue(pulse.mustProbe(251));
  }

  @Test
  void shouldBearAClockThatWraps() {
    assertFalse(pulse.mustProbe(Long.MAX_VALUE - 10));
    assertFalse(pulse.mustProbe(Long.MIN_VALUE + 89));
    assertTrue(pulse.mustProbe(Long.MIN_VALUE + 90));
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
