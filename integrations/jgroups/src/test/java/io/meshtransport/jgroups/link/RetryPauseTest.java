// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class RetryPauseTest {
  /** A clock of nanoseconds may be about to overflow. */
  private static final long START_NS = Long.MAX_VALUE - ms(250);

  private final RetryPause pause = new RetryPause(new BackOff(200, 2_000), START_NS);

  private static long ms(long ms) {
    return TimeUnit.MILLISECONDS.toNanos(ms);
  }

  @Test
  void shouldPauseLongerWithEachFailureUntilAChannelOpens() {
    assertTrue(pause.isOver(START_NS));
    pause.begin(START_NS);
    assertEquals(ms(200), pause.leftNs(START_NS));
    assertFalse(pause.isOver(START_NS + ms(199)));
    assertTrue(pause.isOver(START_NS + ms(200)));
    pause.begin(START_NS + ms(200));
    assertFalse(pause.isOver(START_NS + ms(599)));
    assertTrue(pause.isOver(START_NS + ms(600)));
    pause.reset();
    pause.begin(START_NS + ms(700));
    assertTrue(pause.isOver(START_NS + ms(900)));
  }

  @Test
  void shouldEndAtOnceWhenCablesHaveChanged() {
    pause.begin(START_NS);
    pause.end(START_NS + ms(1));
    assertTrue(pause.isOver(START_NS + ms(1)));
  }

  @Test
  void shouldRememberForAMinuteThatAMessageWasRefused() {
    assertFalse(pause.wasMessageRefusedLately(START_NS));
    pause.messageRefused(START_NS);
    assertTrue(pause.wasMessageRefusedLately(START_NS + ms(59_999)));
    assertFalse(pause.wasMessageRefusedLately(START_NS + ms(60_000)));
  }
}
