package io.meshtransport.softverbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * How much is handed to the kernel ahead, for cables of any speed; the test is kernel and clock.
 */
class SendPaceTest {
  private static final long SECOND_NS = 1_000_000_000L;

  private final SendPace pace = new SendPace();
  private long nowNs;
  private long taken;

  /** The kernel passes on what it was given ahead, and takes as much again. */
  private void pass(long bytesPerSecond, int times) {
    for (int i = 0; i < times; i++) {
      pace.full(nowNs, taken);
      nowNs += pace.aheadBytes() * SECOND_NS / bytesPerSecond;
      taken += pace.aheadBytes();
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {125_000, 250_000, 1_250_000, 12_500_000})
  void shouldHandOverWhatLeavesInFortyMilliseconds(long bytesPerSecond) {
    pass(bytesPerSecond, 50);
    double aheadMs = pace.aheadBytes() * 1000.0 / bytesPerSecond;
    assertTrue(aheadMs > 35 && aheadMs < 45, aheadMs + " ms");
  }

  @Test
  void shouldNotLimitAFastCable() {
    pass(1_250_000_000L, 20);
    assertEquals(SendPace.MOST_BYTES, pace.aheadBytes());
  }

  @Test
  void shouldFollowACableThatBecomesSlowAndFastAgain() {
    pass(1_250_000_000L, 50);
    pass(125_000, 50);
    assertTrue(pace.aheadBytes() < 6000, pace.aheadBytes() + " bytes");
    long slowUntilNs = nowNs;
    pass(1_250_000_000L, 500);
    assertEquals(SendPace.MOST_BYTES, pace.aheadBytes());
    assertTrue(nowNs - slowUntilNs < SECOND_NS, "it took " + (nowNs - slowUntilNs) + " ns");
  }

  /** A peer that was stopped for a minute says nothing about its cable. */
  @Test
  void shouldForgetAStandstill() {
    pass(1_250_000_000L, 50);
    nowNs += 60 * SECOND_NS;
    pass(1_250_000_000L, 500);
    assertEquals(SendPace.MOST_BYTES, pace.aheadBytes());
  }

  @Test
  void shouldNotCountTimeInWhichNothingWaited() {
    pass(12_500_000, 50);
    pace.done(nowNs, taken);
    int before = pace.aheadBytes();
    nowNs += 60 * SECOND_NS;
    pace.full(nowNs, taken + 1000);
    assertEquals(before, pace.aheadBytes());
  }
}
