// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How long the turns of {@link RateProbe} take, and what they find, in virtual time. */
class RateProbeTest {
  private static final long S = 1_000_000_000;

  /** A wait may be over a little late. */
  private static final long LATE_NS = 10_000_000;

  private static void assertTook(long expectedNs, long tookNs) {
    assertTrue(tookNs >= expectedNs && tookNs <= expectedNs + LATE_NS, tookNs + " ns");
  }

  @Test
  void shouldEndATurnAfterFourSecondsThoughNothingArrives() throws Exception {
    PlayedCable cable = new PlayedCable(0);
    assertTook(4 * S, cable.measure(false, cable.deadline(60 * S)));
    assertEquals(0, cable.rates.bytesPerSecond(PlayedNeighbour.RANK));
    assertEquals(3, cable.puts, "what no put's end asks to go on with");
  }

  @Test
  void shouldEndATurnWithTheTimeForJoining() throws Exception {
    PlayedCable cable = new PlayedCable(0);
    assertTook(S, cable.measure(false, cable.deadline(S)));
  }

  /** They may outlast their turn, and use memory that is closed after the last. */
  @Test
  void shouldWaitForPutsAtTheEndAsLongAsThereIsTime() throws Exception {
    PlayedCable cable = new PlayedCable(0);
    cable.measure(false, cable.deadline(60 * S));
    long beginNs = cable.clock.nowNs();
    cable.clock.in(
        5 * S,
        () -> {
          for (int put = 0; put < cable.puts; put++) {
            cable.rates.putDone(PlayedNeighbour.RANK);
          }
        });
    cable.rank.lock();
    try {
      cable.rates.awaitPuts(cable.deadline(2 * S));
      assertTook(2 * S, cable.clock.nowNs() - beginNs);
      cable.rates.awaitPuts(cable.deadline(60 * S));
      assertTook(5 * S, cable.clock.nowNs() - beginNs);
    } finally {
      cable.rank.unlock();
    }
  }

  /**
   * A link of 1 Mb/s takes three puts in 3.2 s. What is slow in the second turn, too, is slow: two
   * turns must do.
   */
  @ParameterizedTest
  @CsvSource({"125000, 3, true", "1000000, 4, true", "125000000, 32, false"})
  void shouldMeasureALinkThatIsSlowFromTheFirstTurn(long rate, int putsOfATurn, boolean isSlow)
      throws Exception {
    PlayedCable cable = new PlayedCable(rate);
    for (int turn = 0; turn < 4; turn++) {
      long tookNs = cable.measure(turn > 0, cable.deadline(60 * S));
      assertTrue(tookNs < 4 * S, "turn " + turn + " took " + tookNs + " ns");
      int turns = isSlow ? Math.min(2, turn + 1) : turn + 1;
      assertEquals(putsOfATurn * turns, cable.puts, "turn " + turn);
      assertEquals(
          rate, cable.rates.bytesPerSecond(PlayedNeighbour.RANK), rate * 0.01, "turn " + turn);
    }
  }
}
