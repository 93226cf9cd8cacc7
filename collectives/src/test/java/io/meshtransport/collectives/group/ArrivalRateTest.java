// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** {@link ArrivalRate}, of which a {@link LinkProbe} has one for each link. */
class ArrivalRateTest {
  private static final int KIB = 1 << 10;
  private static final long MS = 1_000_000;

  private final ArrivalRate rate = new ArrivalRate();

  private long arrive(int messages, long fromNs, long eachNs) {
    long nowNs = fromNs;
    for (int i = 0; i < messages; i++) {
      nowNs += eachNs;
      rate.arrived(KIB, nowNs);
    }
    return nowNs;
  }

  private void round(int messages, long eachNs) {
    rate.beginRound(0);
    arrive(messages, 0, eachNs);
    rate.endRound();
  }

  @Test
  void shouldLeaveOutWhatALimitLetsThroughAtFirst() {
    rate.beginRound(0);
    long burstNs = arrive(512, 0, 1);
    arrive(1024, burstNs, MS);
    rate.endRound();
    assertEquals(KIB * 1000, rate.bytesPerSecond());
  }

  /** The thread that receives comes late, and finds all bytes at once. */
  @Test
  void shouldNotTakeALateThreadForAFastLink() {
    rate.beginRound(0);
    arrive(1536, 1535 * MS, 1);
    rate.endRound();
    assertEquals(KIB * 1000.0, rate.bytesPerSecond(), KIB);
  }

  /** The thread was off its core while the neighbour put, and found the bytes before it began. */
  @Test
  void shouldNotTakeAThreadThatBeginsLateForAFastLink() {
    arrive(1536, 0, 1);
    rate.beginRound(1535 * MS);
    rate.endRound();
    assertEquals(KIB * 1e9, rate.bytesPerSecond(), "of the only round");
    round(1536, MS);
    assertEquals(KIB * 1000, rate.bytesPerSecond());
  }

  /** What waited when the first bytes had come is not what came after them. */
  @Test
  void shouldNotTakeAThreadThatWasLateOnceForAFastLink() {
    rate.beginRound(0);
    long lateNs = arrive(511, 0, MS) + 200 * MS;
    long caughtUpNs = arrive(200, lateNs, 1);
    arrive(825, caughtUpNs, MS);
    rate.endRound();
    assertEquals(KIB * 1000.0, rate.bytesPerSecond(), 2 * KIB);
  }

  @Test
  void shouldPreferARoundInWhichEnoughCame() {
    round(600, MS / 2);
    round(1536, MS);
    assertEquals(KIB * 1000, rate.bytesPerSecond());
  }

  @Test
  void shouldTakeTheBestOfSeveralRounds() {
    round(1024, 4 * MS);
    round(1024, 2 * MS);
    round(1024, 8 * MS);
    assertEquals(KIB * 500, rate.bytesPerSecond());
  }

  /** The first finds a program that has just begun. */
  @Test
  void shouldBeSteadyWhereThreeRoundsFindTheSameRate() {
    for (long eachNs : new long[] {9 * MS, MS, MS * 108 / 100, MS * 102 / 100}) {
      assertFalse(rate.isSteady());
      round(1024, eachNs);
    }
    assertTrue(rate.isSteady());
  }

  @Test
  void shouldNotBeSteadyWhereRoundsDisagree() {
    for (long eachNs : new long[] {9 * MS, MS, MS * 120 / 100, MS * 102 / 100}) {
      round(1024, eachNs);
    }
    assertFalse(rate.isSteady());
    for (int i = 0; i < 4; i++) {
      round(600, MS);
    }
    assertFalse(rate.isSteady(), "too few bytes say nothing");
  }

  @Test
  void shouldTakeTheFewOfALinkThatIsSlow() {
    round(3, MS);
    assertEquals(KIB * 1000, rate.bytesPerSecond());
  }

  /** Four puts of a probe over a link of some 8 Mb/s. */
  @Test
  void shouldTakeTheFirstBytesWhereNoneComeAfterThem() {
    rate.beginRound(0);
    for (int put = 1; put <= 4; put++) {
      rate.arrived(128 * KIB, put * 128 * MS);
    }
    rate.endRound();
    assertEquals(KIB * 1000, rate.bytesPerSecond());
  }

  @Test
  void shouldKnowNoRateWithoutBytes() {
    rate.endRound();
    assertEquals(0, rate.bytesPerSecond());
  }
}
