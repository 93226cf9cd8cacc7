// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.link;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class BackOffTest {
  private static void expect(BackOff backOff, long... pausesMs) {
    for (long pauseMs : pausesMs) {
      assertEquals(TimeUnit.MILLISECONDS.toNanos(pauseMs), backOff.nextPauseNs());
    }
  }

  @Test
  void shouldDoubleUpToTheLongestPause() {
    expect(new BackOff(200, 5_000), 200, 400, 800, 1_600, 3_200, 5_000, 5_000, 5_000);
  }

  @Test
  void shouldBeginAnewOnceItWorked() {
    BackOff backOff = new BackOff(200, 5_000);
    expect(backOff, 200, 400);
    backOff.reset();
    expect(backOff, 200, 400);
  }

  @Test
  void shouldNeverPauseShorterThanTheFirstPause() {
    expect(new BackOff(200, 100), 200, 200);
  }

  @Test
  void shouldNotOverflowWithoutALongestPause() {
    BackOff backOff = new BackOff(1, Long.MAX_VALUE);
    long before = 0;
    for (int failure = 0; failure < 100; failure++) {
      long pauseNs = backOff.nextPauseNs();
      assertEquals(true, pauseNs >= before && pauseNs > 0, pauseNs + " after " + before);
      before = pauseNs;
    }
    assertEquals(Long.MAX_VALUE, before);
  }
}
