// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.config.MeshConfig;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** In virtual time: each yield takes a microsecond, unless the test says otherwise. */
class ReplySpinTest {
  private static final int PROCESSORS = 2;
  private static final int MANY = PROCESSORS + 1;
  private static final long YIELD_NS = 1_000;
  private static final long MAX_NS = 200 * YIELD_NS;

  private long nowNs;
  private long yieldNs = YIELD_NS;
  private long replyAtNs = Long.MAX_VALUE;
  private int yields;
  private CompletableFuture<String> reply = new CompletableFuture<>();
  private final ReplySpin spin = new ReplySpin(MAX_NS, PROCESSORS, () -> nowNs, this::yield);

  private void yield() {
    yields++;
    nowNs += yieldNs;
    if (nowNs >= replyAtNs) {
      reply.complete("a reply");
    }
  }

  /** How often a wait polled whose reply comes after that time. */
  private int polls(long afterNs) {
    reply = new CompletableFuture<>();
    replyAtNs = afterNs == Long.MAX_VALUE ? afterNs : nowNs + afterNs;
    int before = yields;
    spin.await(reply, MANY);
    return yields - before;
  }

  @Test
  void shouldPollUntilTheReplyHasCome() {
    assertEquals(70, polls(70 * YIELD_NS));
    assertTrue(reply.isDone());
  }

  @Test
  void shouldSleepAtOnceWhereNoMoreWaitThanThereAreProcessors() {
    spin.await(reply, PROCESSORS);
    assertEquals(0, yields);
  }

  @Test
  void shouldNeverPollWhereWaitsAreNotToSpin() {
    new ReplySpin(ReplySpin.maxNs(Optional.of("0")), PROCESSORS, () -> nowNs, this::yield)
        .await(reply, MANY);
    assertEquals(0, yields);
  }

  @Test
  void shouldTakeItsLimitFromTheSetting() {
    assertEquals(4 * 7_000, ReplySpin.maxNs(Optional.of("7")));
    assertEquals(4 * 50_000, ReplySpin.maxNs(Optional.empty()));
    assertEquals(MeshConfig.defaults().spinUs(), ReplySpin.DEFAULT_SPIN_US);
  }

  @Test
  void shouldNotPollForLongerThanItsLimit() {
    assertEquals(MAX_NS / YIELD_NS, polls(Long.MAX_VALUE));
  }

  @Test
  void shouldSleepInMoreAndMoreWaitsWhileRepliesComeTooLate() {
    int expected = ReplySpin.FIRST_SLEEPS;
    for (int i = 0; i < 10; i++) {
      assertTrue(polls(Long.MAX_VALUE) > 0);
      int sleeps = 0;
      while (sleeps < expected && polls(Long.MAX_VALUE) == 0) {
        sleeps++;
      }
      assertEquals(expected, sleeps, "after " + (i + 1) + " spins in vain");
      expected = Math.min(2 * expected, ReplySpin.MAX_SLEEPS);
    }
  }

  @Test
  void shouldSleepInFewerWaitsOnceASpinHasPaid() {
    polls(Long.MAX_VALUE);
    for (int i = 0; i < ReplySpin.FIRST_SLEEPS; i++) {
      assertEquals(0, polls(YIELD_NS));
    }
    assertEquals(1, polls(YIELD_NS));
    assertEquals(1, polls(YIELD_NS));
    polls(Long.MAX_VALUE);
    int sleeps = 0;
    while (polls(YIELD_NS) == 0) {
      sleeps++;
    }
    assertEquals(ReplySpin.FIRST_SLEEPS, sleeps, "no more than after the first one in vain");
  }

  @Test
  void shouldCountThreadsThatCall() {
    assertEquals(1, spin.enter());
    assertEquals(2, spin.enter());
    spin.leave();
    assertEquals(2, spin.enter());
  }

  @Test
  void shouldNotPollOnceItsThreadIsInterrupted() {
    Thread.currentThread().interrupt();
    assertEquals(1, polls(Long.MAX_VALUE));
    assertTrue(Thread.interrupted());
  }

  @Test
  void shouldStopOnceItsProcessorWasGivenToAThreadThatComputes() {
    yieldNs = MAX_NS;
    assertEquals(1, polls(Long.MAX_VALUE));
    yieldNs = YIELD_NS;
    assertEquals(0, polls(YIELD_NS));
  }

  @Test
  void shouldCountOnceWhatAllWhoPollHaveLost() {
    CompletableFuture<String> first = new CompletableFuture<>();
    CompletableFuture<String> second = new CompletableFuture<>();
    // The second begins to poll while the first does, and both lose their processor.
    long[] now = {0};
    Runnable[] nested = new Runnable[1];
    ReplySpin shared =
        new ReplySpin(
            MAX_NS,
            PROCESSORS,
            () -> now[0],
            () -> {
              Runnable once = nested[0];
              nested[0] = null;
              if (once != null) {
                once.run();
              }
              now[0] += MAX_NS;
            });
    nested[0] = () -> shared.await(second, MANY);
    shared.await(first, MANY);
    int sleeps = 0;
    CompletableFuture<String> later = new CompletableFuture<>();
    long before = now[0];
    while (now[0] == before) {
      shared.await(later, MANY);
      sleeps++;
    }
    assertEquals(ReplySpin.FIRST_SLEEPS + 1, sleeps);
  }
}
