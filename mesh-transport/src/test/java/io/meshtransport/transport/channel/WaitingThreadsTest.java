// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.channel;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WaitingThreadsTest {
  private static final long LONG_NS = TimeUnit.SECONDS.toNanos(50);

  private final ReentrantLock lock = new ReentrantLock();
  private final WaitingThreads waiting = new WaitingThreads(lock);

  /** Sleeps on a thread of its own, which has begun to when this returns. */
  private CompletableFuture<Boolean> follow(int slot) throws InterruptedException {
    CompletableFuture<Boolean> isLeader = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> {
              lock.lock();
              try {
                isLeader.complete(waiting.follow(slot, LONG_NS));
              } finally {
                lock.unlock();
              }
            });
    thread.setDaemon(true);
    int before = waiting.followers();
    thread.start();
    while (waiting.followers() == before) {
      Thread.yield();
    }
    return isLeader;
  }

  private void locked(Runnable what) {
    lock.lock();
    try {
      what.run();
    } finally {
      lock.unlock();
    }
  }

  @Test
  void shouldHaveOneLeader() {
    assertTrue(waiting.lead());
    assertFalse(waiting.lead());
    waiting.stopLeading();
    assertTrue(waiting.lead());
  }

  @Test
  void shouldWakeWhoWaitsForTheRequestThatHasEnded() throws Exception {
    assertTrue(waiting.lead());
    CompletableFuture<Boolean> other = follow(1);
    CompletableFuture<Boolean> follower = follow(2);
    locked(() -> waiting.wake(2));
    assertFalse(follower.get(), "another thread leads");
    assertFalse(other.isDone());
    locked(() -> waiting.wake(1));
    assertFalse(other.get());
  }

  @Test
  void shouldWakeWhoWaitsForAnyProgress() throws Exception {
    assertTrue(waiting.lead());
    CompletableFuture<Boolean> other = follow(1);
    CompletableFuture<Boolean> follower = follow(WaitingThreads.ANY_PROGRESS);
    locked(waiting::progressed);
    assertFalse(follower.get());
    assertFalse(other.isDone());
  }

  @Test
  void shouldLetTheOneThatSleptLongestLeadNext() throws Exception {
    assertTrue(waiting.lead());
    CompletableFuture<Boolean> first = follow(1);
    CompletableFuture<Boolean> second = follow(2);
    waiting.stopLeading();
    assertTrue(first.get());
    assertFalse(second.isDone());
    waiting.stopLeading();
    assertTrue(second.get());
  }

  @Test
  void shouldLeadAtOnceIfNoThreadDoes() {
    locked(() -> assertTrue(waiting.follow(1, LONG_NS)));
  }

  @Test
  void shouldEndASleepAfterItsTimeOrAnInterrupt() {
    assertTrue(waiting.lead());
    locked(() -> assertFalse(waiting.follow(1, 1)));
    Thread.currentThread().interrupt();
    locked(() -> assertFalse(waiting.follow(1, LONG_NS)));
    assertTrue(Thread.interrupted(), "the interrupt stays set");
    waiting.stopLeading();
  }
}
