// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.tcp;

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

  /** The kernel sends what it had buffered, and accepts as much again. */
  private void pass(long bytesPerSecond, int times) {
    for (int i = 0; i < times; i++) {
      pace.full(nowNs, taken);
      nowNs += pace.aheadBytes() * SECOND_NS / bytesPerSecond;
      taken += pace.aheadBytes();
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {125_000, 250_000, 1_250_000, 12_500_000})
  void shouldHandTheKernelFortyMillisecondsOfTheCable(long bytesPerSecond) {
    pass(bytesPerSecond, 50);
    double aheadMs = pace.aheadBytes() * 1000.0 / bytesPerSecond;
    assertTrue(aheadMs > 35 && aheadMs < 45, aheadMs + " ms");
  }

  /** The clock begins anywhere: System.nanoTime may be negative. */
  @ParameterizedTest
  @ValueSource(longs = {Long.MIN_VALUE / 2, -1, 0, Long.MAX_VALUE / 2})
  void shouldIgnoreTheTimeBeforeTheFirstMeasurement(long firstNs) {
    pace.mayBeFull(firstNs, 1 << 20);
    assertEquals(SendPace.FIRST_BYTES, pace.aheadBytes());
  }

  @Test
  void shouldNotLimitAFastCable() {
    pass(1_250_000_000L, 50);
    assertEquals(SendPace.MAX_BYTES, pace.aheadBytes());
  }

  @Test
  void shouldFollowACableThatBecomesSlowAndFastAgain() {
    pass(1_250_000_000L, 50);
    pass(125_000, 50);
    assertTrue(pace.aheadBytes() < 6000, pace.aheadBytes() + " bytes");
    long slowUntilNs = nowNs;
    pass(1_250_000_000L, 500);
    assertEquals(SendPace.MAX_BYTES, pace.aheadBytes());
    assertTrue(nowNs - slowUntilNs < SECOND_NS, "it took " + (nowNs - slowUntilNs) + " ns");
  }

  /** A peer that was stopped for a minute is no measure of its cable. */
  @Test
  void shouldIgnoreAStandstill() {
    pass(1_250_000_000L, 50);
    nowNs += 60 * SECOND_NS;
    pass(1_250_000_000L, 500);
    assertEquals(SendPace.MAX_BYTES, pace.aheadBytes());
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

  /** An empty kernel fills its buffer at the speed of memory, and a larger buffer likewise. */
  @Test
  void shouldNotTreatSpaceInTheKernelAsSpeedOfTheCable() {
    double deferred = 0;
    for (int i = 0; i < 200; i++) {
      deferred += pace.aheadBytes();
      taken += pace.aheadBytes();
      pace.mayBeFull(nowNs, taken);
      double free = 2.0 * Integer.highestOneBit(pace.aheadBytes());
      long drainNs = (long) (Math.max(1, deferred - free) * SECOND_NS / 125_000);
      nowNs += drainNs;
      deferred -= drainNs * 125_000.0 / SECOND_NS;
      assertTrue(deferred <= 2 * SendPace.FIRST_BYTES, "after " + i + ": " + deferred + " bytes");
    }
  }

  /** Messages of 64 KiB, each after an answer to the one before. */
  @Test
  void shouldNotLimitAFastCableThatCarriesBursts() {
    for (int i = 0; i < 500; i++) {
      for (int left = 64 << 10; left > 0; left -= pace.aheadBytes()) {
        nowNs += 5_000;
        taken += Math.min(left, pace.aheadBytes());
        if (left > pace.aheadBytes()) {
          pace.mayBeFull(nowNs, taken);
        }
      }
      pace.done(nowNs, taken);
      nowNs += 100_000;
    }
    assertTrue(pace.aheadBytes() >= 64 << 10, pace.aheadBytes() + " bytes");
  }
}
