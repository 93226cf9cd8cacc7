// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.rc;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/** The waits of RNR timer codes. */
class RnrTimerTest {
  @Test
  void shouldWaitAsInTable46() {
    assertEquals(655_360_000, RnrTimer.waitNs(0));
    assertEquals(10_000, RnrTimer.waitNs(1));
    assertEquals(640_000, RnrTimer.waitNs(12));
    assertEquals(491_520_000, RnrTimer.waitNs(31));
  }
}
