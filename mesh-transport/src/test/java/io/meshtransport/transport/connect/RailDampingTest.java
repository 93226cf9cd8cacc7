// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.connect;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class RailDampingTest {
  private static final long NOW = -5;

  private final RailDamping damping = new RailDamping();

  @Test
  void shouldGrowToTheLongestPause() {
    for (long pauseNs = RailDamping.FIRST_PAUSE_NS;
        pauseNs < RailDamping.LONGEST_PAUSE_NS;
        pauseNs *= 2) {
      assertEquals(pauseNs, damping.nextPauseNs(NOW));
    }
    assertEquals(RailDamping.LONGEST_PAUSE_NS, damping.nextPauseNs(NOW));
    assertEquals(RailDamping.LONGEST_PAUSE_NS, damping.nextPauseNs(NOW));
  }

  @Test
  void shouldGoOnGrowingForARailThatDoesNotStand() {
    damping.nextPauseNs(NOW);
    damping.joined(NOW);
    assertEquals(
        2 * RailDamping.FIRST_PAUSE_NS, damping.nextPauseNs(NOW + RailDamping.STANDING_NS - 1));
  }

  @Test
  void shouldBeginAnewForARailThatStood() {
    damping.nextPauseNs(NOW);
    damping.nextPauseNs(NOW);
    damping.joined(NOW);
    assertEquals(RailDamping.FIRST_PAUSE_NS, damping.nextPauseNs(NOW + RailDamping.STANDING_NS));
    assertEquals(
        2 * RailDamping.FIRST_PAUSE_NS, damping.nextPauseNs(NOW + 2 * RailDamping.STANDING_NS));
  }

  @Test
  void shouldTrySoonAFewTimesAfterAChangeOfTheHost() {
    for (int i = 0; i < 10; i++) {
      damping.nextPauseNs(NOW);
    }
    damping.hostChanged(NOW);
    damping.hostChanged(NOW + RailDamping.CHANGE_NS - 1);
    for (int i = 0; i < RailDamping.TRIES_AFTER_A_CHANGE; i++) {
      assertEquals(RailDamping.FIRST_PAUSE_NS, damping.nextPauseNs(NOW));
    }
    damping.hostChanged(NOW + RailDamping.CHANGE_NS - 1);
    assertEquals(RailDamping.LONGEST_PAUSE_NS, damping.nextPauseNs(NOW));
    damping.hostChanged(NOW + RailDamping.CHANGE_NS);
    assertEquals(RailDamping.FIRST_PAUSE_NS, damping.nextPauseNs(NOW));
  }
}
