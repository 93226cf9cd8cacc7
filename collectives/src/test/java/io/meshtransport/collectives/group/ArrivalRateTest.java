// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import static org.junit.jupiter.api.Assertions.assertEquals;

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

  @Test
  void shouldLeaveOutWhatALimitLetsThroughAtFirst() {
    long burstNs = arrive(512, 0, 1);
    arrive(1024, burstNs, MS);
    rate.endRound();
    assertEquals(KIB * 1000, rate.bytesPerSecond());
  }

  /** A thread that comes late finds many at once. */
  @Test
  void shouldPreferARoundInWhichEnoughCame() {
    arrive(512, 0, MS);
    arrive(100, 512 * MS, 1);
    rate.endRound();
    arrive(1024, 1000 * MS, MS);
    rate.endRound();
    assertEquals(KIB * 1000, rate.bytesPerSecond());
  }

  @Test
  void shouldTakeTheBestOfSeveralRounds() {
    arrive(1024, 0, 4 * MS);
    rate.endRound();
    arrive(1024, 0, 2 * MS);
    rate.endRound();
    arrive(1024, 0, 8 * MS);
    rate.endRound();
    assertEquals(KIB * 500, rate.bytesPerSecond());
  }

  @Test
  void shouldTakeTheFewOfALinkThatIsSlow() {
    arrive(3, 0, MS);
    rate.endRound();
    assertEquals(KIB * 1000, rate.bytesPerSecond());
  }

  @Test
  void shouldKnowNoRateWithoutBytes() {
    rate.endRound();
    assertEquals(0, rate.bytesPerSecond());
  }
}
