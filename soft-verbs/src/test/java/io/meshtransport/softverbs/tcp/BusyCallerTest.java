// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.tcp;

import static io.meshtransport.softverbs.tcp.BusyCaller.FEWEST_POLLS;
import static io.meshtransport.softverbs.tcp.BusyCaller.FIRST_FOLLOW_NS;
import static io.meshtransport.softverbs.tcp.BusyCaller.MAX_FOLLOW_NS;
import static io.meshtransport.softverbs.tcp.BusyCaller.MAX_PAUSE_NS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class BusyCallerTest {
  /** Any reading of a clock may be negative. */
  private static final long BEGIN_NS = -5_000_000_000L;

  private final BusyCaller busy = new BusyCaller();
  private long nowNs = BEGIN_NS;

  private void poll(int times, long pauseNs) {
    for (int i = 0; i < times; i++) {
      nowNs += pauseNs;
      busy.polled(nowNs);
    }
  }

  private static <T> T onAnotherThread(Supplier<T> what) {
    return CompletableFuture.supplyAsync(what, each -> new Thread(each).start()).join();
  }

  @Test
  void shouldCallBusyWhoPollsWithoutAPause() {
    poll(FEWEST_POLLS - 1, MAX_PAUSE_NS);
    assertFalse(busy.isAny(nowNs));
    poll(1, MAX_PAUSE_NS);
    assertTrue(busy.isAny(nowNs));
    assertTrue(busy.isAny(nowNs + MAX_PAUSE_NS));
    assertFalse(busy.isAny(nowNs + MAX_PAUSE_NS + 1));
  }

  @Test
  void shouldNotCallBusyWhoPauses() {
    poll(3 * FEWEST_POLLS, MAX_PAUSE_NS + 1);
    assertFalse(busy.isAny(nowNs));
    poll(FEWEST_POLLS - 1, 1);
    assertTrue(busy.isAny(nowNs));
  }

  @Test
  void shouldTakeNoSleepInTheSelectorForAPause() {
    poll(FEWEST_POLLS, MAX_PAUSE_NS);
    long fromNs = nowNs + MAX_PAUSE_NS;
    nowNs = fromNs + 1_000 * MAX_PAUSE_NS;
    assertFalse(busy.isAny(nowNs));
    onAnotherThread(
        () -> {
          busy.slept(fromNs, nowNs);
          return null;
        });
    assertFalse(busy.isAny(nowNs), "another has slept");
    busy.slept(fromNs, nowNs);
    assertTrue(busy.isAny(nowNs));
  }

  @Test
  void shouldTakeAPauseBeforeASleepForOne() {
    poll(FEWEST_POLLS, 1);
    long fromNs = nowNs + MAX_PAUSE_NS + 1;
    nowNs = fromNs + 10;
    busy.slept(fromNs, nowNs);
    assertFalse(busy.isAny(nowNs));
  }

  @Test
  void shouldBeBusyForOthersAlone() {
    poll(FEWEST_POLLS, 1);
    assertFalse(busy.isOther(nowNs));
    assertTrue(onAnotherThread(() -> busy.isOther(nowNs)));
  }

  @Test
  void shouldEndWhenTheBusyOneLeavesAndNotWhenAnotherDoes() {
    poll(FEWEST_POLLS, 1);
    onAnotherThread(
        () -> {
          busy.leave();
          return null;
        });
    assertTrue(busy.isAny(nowNs));
    busy.leave();
    assertFalse(busy.isAny(nowNs));
  }

  @Test
  void shouldLookAgainMoreSeldomWhileTheOtherGoesOn() {
    poll(FEWEST_POLLS, 1);
    long followNs = FIRST_FOLLOW_NS;
    for (int i = 0; i < 10; i++) {
      assertTrue(onAnotherThread(() -> busy.isOther(nowNs)));
      assertEquals(followNs, busy.followNs());
      followNs = Math.min(2 * followNs, MAX_FOLLOW_NS);
    }
    assertEquals(MAX_FOLLOW_NS, followNs);
    busy.leave();
    assertFalse(onAnotherThread(() -> busy.isOther(nowNs)));
    assertEquals(FIRST_FOLLOW_NS, busy.followNs());
  }
}
