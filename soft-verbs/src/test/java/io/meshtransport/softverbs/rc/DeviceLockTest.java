// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.rc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** One thread at a time has the lock, and every waiter gets it. */
class DeviceLockTest {
  private final DeviceLock lock = new DeviceLock();

  /** Written with the lock only. */
  private int count;

  @Test
  void shouldBeFreeAfterEveryUnlock() {
    lock.lock();
    lock.lock();
    assertEquals(2, lock.getHoldCount());
    lock.unlock();
    assertTrue(lock.isHeldByCurrentThread());
    lock.unlock();
    assertFalse(lock.isLocked());
  }

  @Test
  void shouldLetOneThreadInAtATime() throws Exception {
    int threads = 4;
    int rounds = 2_000;
    List<Thread> all = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      all.add(
          new Thread(
              () -> {
                for (int round = 0; round < rounds; round++) {
                  add();
                }
              }));
    }
    all.forEach(Thread::start);
    for (Thread thread : all) {
      thread.join();
    }
    assertEquals(threads * rounds, count);
    assertFalse(lock.isLocked());
  }

  private void add() {
    lock.lock();
    try {
      count++;
    } finally {
      lock.unlock();
    }
  }

  /** A waiter spins for some microseconds only. */
  @Test
  void shouldParkAWaiterAndLetItInAfterwards() throws Exception {
    lock.lock();
    Thread first = new Thread(this::add);
    Thread second = new Thread(this::add);
    first.start();
    second.start();
    awaitParked(first);
    awaitParked(second);
    assertEquals(0, count);
    lock.unlock();
    first.join();
    second.join();
    assertEquals(2, count);
  }

  /** The lock is not free before the last unlock. */
  @Test
  void shouldKeepAWaiterOutUntilTheLastUnlock() throws Exception {
    lock.lock();
    lock.lock();
    Thread waiter = new Thread(this::add);
    waiter.start();
    awaitParked(waiter);
    lock.unlock();
    awaitParked(waiter);
    assertEquals(0, count);
    lock.unlock();
    waiter.join();
    assertEquals(1, count);
  }

  @Test
  void shouldLetAnInterruptedThreadInWithItsInterrupt() throws Exception {
    lock.lock();
    boolean[] isInterrupted = new boolean[1];
    Thread waiter =
        new Thread(
            () -> {
              Thread.currentThread().interrupt();
              add();
              isInterrupted[0] = Thread.interrupted();
            });
    waiter.start();
    awaitWaiting(waiter);
    lock.unlock();
    waiter.join();
    assertTrue(isInterrupted[0]);
    assertEquals(1, count);
  }

  /** Until it has ceased to spin: an interrupted thread cannot park. */
  private static void awaitWaiting(Thread thread) {
    while (Arrays.stream(thread.getStackTrace())
        .noneMatch(frame -> frame.getMethodName().equals("await"))) {
      Thread.yield();
    }
  }

  private static void awaitParked(Thread thread) {
    while (thread.getState() != Thread.State.TIMED_WAITING) {
      Thread.onSpinWait();
    }
  }
}
