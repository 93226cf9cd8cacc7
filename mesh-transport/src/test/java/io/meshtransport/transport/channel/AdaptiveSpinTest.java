// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.threads.YieldBackoff;
import org.junit.jupiter.api.Test;

/** On a clock of its own: nothing here waits. */
class AdaptiveSpinTest {
  private static final long MOST_NS = 50_000;
  private static final long LOOK_NS = 500;
  private static final long LONG_NS = 5_000_000;
  private static final int CORES = 2;

  private final SpinnerCount spinners = new SpinnerCount(CORES);
  private final AdaptiveSpin spin = new AdaptiveSpin(MOST_NS, spinners);
  private long nowNs = Long.MAX_VALUE - 1_000_000;

  /**
   * One wait for something that comes after a time.
   *
   * @return how long it span, in nanoseconds
   */
  private long await(long comesAfterNs) {
    long startNs = nowNs;
    spin.begin(nowNs);
    nowNs += LOOK_NS;
    while (nowNs - startNs < comesAfterNs && spin.mayGoOn(nowNs)) {
      nowNs += LOOK_NS;
    }
    long spunNs = nowNs - startNs - LOOK_NS;
    if (nowNs - startNs < comesAfterNs) {
      spin.parks();
      nowNs = startNs + comesAfterNs;
    }
    spin.end(nowNs, true);
    spin.finish();
    return spunNs;
  }

  @Test
  void shouldSpinUntilItComesAndNotPark() {
    assertTrue(await(30_000) >= 30_000 - 2 * LOOK_NS);
    assertEquals(MOST_NS, spin.limitNs());
  }

  @Test
  void shouldParkAfterTheTimeItWasGiven() {
    long spunNs = await(LONG_NS);
    assertTrue(spunNs >= MOST_NS - LOOK_NS && spunNs <= MOST_NS, "span " + spunNs);
  }

  @Test
  void shouldNotSpinAgainInAWaitThatHasParked() {
    spin.begin(nowNs);
    assertTrue(spin.mayGoOn(nowNs + LOOK_NS));
    spin.parks();
    assertFalse(spin.mayGoOn(nowNs + 2 * LOOK_NS));
  }

  @Test
  void shouldGiveUpSpinningWhereNothingEverComesInTime() {
    for (int i = 0; i < 7; i++) {
      await(LONG_NS);
    }
    assertEquals(0, spin.limitNs());
    assertEquals(0, await(LONG_NS));
  }

  @Test
  void shouldSpinAgainOnceThingsComeSoon() {
    for (int i = 0; i < 10; i++) {
      await(LONG_NS);
    }
    for (int i = 0; i < 10; i++) {
      await(20_000);
    }
    assertEquals(MOST_NS, spin.limitNs());
    assertTrue(await(20_000) >= 20_000 - 2 * LOOK_NS, "it caught it");
  }

  @Test
  void shouldSeldomTryWhatAlwaysComesJustTooLate() {
    long spunNs = 0;
    int waits = 1000;
    for (int i = 0; i < waits; i++) {
      spunNs += await(MOST_NS + AdaptiveSpin.WAKE_UP_NS / 2);
    }
    assertTrue(spunNs < waits * MOST_NS * 3 / 4, "span " + spunNs + " ns in " + waits + " waits");
  }

  @Test
  void shouldStopAtOnceWhereItsCoreWasTakenAway() {
    spin.begin(nowNs);
    assertTrue(spin.mayGoOn(nowNs + LOOK_NS));
    assertFalse(spin.mayGoOn(nowNs + LOOK_NS + YieldBackoff.LATE_NS));
    assertEquals(MOST_NS / 2, spin.limitNs());
  }

  /** One wait in which the core is lost while it spins, and what it waits for comes meanwhile. */
  private boolean spinsAndLosesItsCore() {
    spin.begin(nowNs);
    boolean isSpinning = spin.mayGoOn(nowNs + LOOK_NS);
    nowNs += LOOK_NS + YieldBackoff.LATE_NS;
    spin.end(nowNs, true);
    spin.finish();
    return isSpinning;
  }

  @Test
  void shouldNotTakeALostCoreForASpinThatPaid() {
    assertTrue(spinsAndLosesItsCore());
    assertEquals(MOST_NS / 2, spin.limitNs());
    assertEquals(0, await(20_000), "not in the next wait");
    int waits = 1;
    while (await(20_000) == 0) {
      assertEquals(MOST_NS / 2, spin.limitNs(), "a wait that may not spin says nothing");
      waits++;
    }
    assertTrue(waits < 100, waits + " waits");
  }

  @Test
  void shouldNotTakeASlowFirstLookForALostCore() {
    spin.begin(nowNs);
    spin.mayGoOn(nowNs + YieldBackoff.LATE_NS);
    assertEquals(MOST_NS, spin.limitNs());
  }

  @Test
  void shouldShareTheCoresWithOtherSpinners() {
    for (int i = 0; i < CORES - 1; i++) {
      spinners.enter();
    }
    assertTrue(await(LONG_NS) >= MOST_NS - LOOK_NS, "there is a core for each");

    AdaptiveSpin late = new AdaptiveSpin(MOST_NS, spinners);
    spinners.enter();
    late.begin(0);
    assertTrue(late.mayGoOn(LOOK_NS));
    assertTrue(late.mayGoOn(MOST_NS / 2 - LOOK_NS));
    assertFalse(late.mayGoOn(MOST_NS / 2));
    late.parks();
    late.end(LONG_NS, true);
    late.finish();

    late = new AdaptiveSpin(MOST_NS, spinners);
    for (int i = 0; i < 100; i++) {
      spinners.enter();
    }
    late.begin(0);
    assertFalse(late.mayGoOn(LOOK_NS));
  }

  @Test
  void shouldCountAsASpinnerOnlyWhileItSpins() {
    SpinnerCount one = new SpinnerCount(0);
    AdaptiveSpin only = new AdaptiveSpin(MOST_NS, one);
    for (int i = 0; i < 3; i++) {
      only.begin(0);
      assertEquals(MOST_NS, one.share(MOST_NS), "a first look is no spin");
      only.mayGoOn(LOOK_NS);
      assertEquals(MOST_NS / 2, one.share(MOST_NS));
      only.parks();
      assertEquals(MOST_NS, one.share(MOST_NS), "who is parked needs no core");
      only.end(LOOK_NS, false);
      only.finish();
      assertEquals(MOST_NS, one.share(MOST_NS));
    }
    only.begin(0);
    only.mayGoOn(LOOK_NS);
    only.end(LOOK_NS, true);
    only.finish();
    assertEquals(MOST_NS, one.share(MOST_NS));
  }

  @Test
  void shouldNeverSpinWhereItMayNot() {
    AdaptiveSpin never = new AdaptiveSpin(0, spinners);
    for (int i = 0; i < 5; i++) {
      never.begin(0);
      assertFalse(never.mayGoOn(LOOK_NS));
      never.parks();
      never.end(LOOK_NS, true);
      never.finish();
    }
    assertEquals(0, never.limitNs());
  }

  @Test
  void shouldLearnNothingFromATimeThatPassed() {
    spin.begin(nowNs);
    spin.mayGoOn(nowNs + LOOK_NS);
    spin.parks();
    spin.end(nowNs + LONG_NS, false);
    spin.finish();
    assertEquals(MOST_NS, spin.limitNs());
  }
}
