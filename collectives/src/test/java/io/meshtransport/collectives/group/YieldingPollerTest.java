// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.spi.Completions;
import io.meshtransport.spi.Poller;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class YieldingPollerTest {
  private static final long LONG_NS = 60_000_000_000L;

  private final Completions completions = new Completions(4);
  private final List<Long> sleeps = new ArrayList<>();
  private int polls;
  private int foundAtPoll = Integer.MAX_VALUE;

  private final YieldingPoller waits =
      new YieldingPoller(
          Fakes.of(
              Poller.class,
              (proxy, method, arguments) -> {
                if (method.getName().equals("poll")) {
                  return ++polls >= foundAtPoll ? 3 : 0;
                }
                sleeps.add((long) arguments[1]);
                return 2;
              }));

  @Test
  void shouldAnswerWhatIsThereWithoutSleeping() {
    foundAtPoll = 1;
    assertEquals(3, waits.await(completions, LONG_NS));
    assertEquals(1, polls);
    assertEquals(List.of(), sleeps);
  }

  @Test
  void shouldSleepAfterPollingForAMomentForTheRestOfTheTime() {
    assertEquals(2, waits.await(completions, LONG_NS));
    assertEquals(1, sleeps.size());
    long slept = sleeps.get(0);
    assertTrue(slept > 0 && slept < LONG_NS, "" + slept);
  }

  @Test
  void shouldOnlyLookWhereThereIsNoTime() {
    assertEquals(2, waits.await(completions, 0));
    assertEquals(List.of(0L), sleeps);
    assertEquals(1, polls);
  }
}
