// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.spi.TransportException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SendBufferPoolTest {
  private static final int SLOTS = 4;
  private static final int SLOT_BYTES = 48;
  private static final Runnable NOTHING_LEFT = () -> {};

  private final SendBufferPool pool = pool(SLOTS);

  /** Over a transport that can do nothing but register. */
  static SendBufferPool pool(int slots) {
    try {
      return new SendBufferPool(ScriptedTransport.alone(), slots, SLOT_BYTES);
    } catch (TransportException e) {
      throw new IllegalStateException(e);
    }
  }

  private static long inMs(long ms) {
    return System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(ms);
  }

  private List<Integer> takeAll() {
    List<Integer> taken = new ArrayList<>();
    for (int slot = pool.tryAcquire(); slot != SendBufferPool.NONE; slot = pool.tryAcquire()) {
      taken.add(slot);
    }
    return taken;
  }

  @Test
  void shouldGiveEachSlotOnceAndThenNone() {
    assertEquals(Set.of(0, 1, 2, 3), new HashSet<>(takeAll()));
    assertEquals(0, pool.free());
    assertEquals(SLOTS, pool.size());
    assertEquals(SendBufferPool.NONE, pool.tryAcquire());
  }

  @Test
  void shouldPlaceSlotsSideBySideInTheRegisteredMemory() {
    ByteBuffer all = pool.memory().segments().get(0);
    assertEquals(SLOTS * SLOT_BYTES, pool.memory().lengthBytes());
    for (int slot : takeAll()) {
      assertEquals(SLOT_BYTES, pool.bytes(slot).capacity());
      pool.bytes(slot).put(0, (byte) (slot + 1)).put(SLOT_BYTES - 1, (byte) -slot);
    }
    for (int slot = 0; slot < SLOTS; slot++) {
      int at = (int) pool.offsetBytes(slot);
      assertEquals(slot + 1, all.get(at));
      assertEquals(-slot, all.get(at + SLOT_BYTES - 1));
    }
  }

  @Test
  void shouldFreeASlotWithItsLastHold() {
    int slot = pool.tryAcquire();
    pool.retain(slot);
    pool.retain(slot);
    pool.release(slot);
    pool.release(slot);
    assertEquals(SLOTS - 1, pool.free());
    pool.release(slot);
    assertEquals(SLOTS, pool.free());
  }

  @Test
  void shouldRefuseToReleaseOrHoldWhatNobodyHolds() {
    int slot = pool.tryAcquire();
    pool.release(slot);
    assertThrows(IllegalStateException.class, () -> pool.release(slot));
    assertThrows(IllegalStateException.class, () -> pool.release(slot));
    assertThrows(IllegalStateException.class, () -> pool.retain(slot));
    assertEquals(SLOTS, new HashSet<>(takeAll()).size());
    pool.release(slot);
    assertEquals(1, pool.free());
  }

  @Test
  void shouldHandOutASlotWithAllItsRoomWhateverTheLastHolderDid() {
    int slot = pool.tryAcquire();
    pool.bytes(slot).position(3).limit(5);
    pool.release(slot);
    assertEquals(slot, pool.tryAcquire());
    assertEquals(0, pool.bytes(slot).position());
    assertEquals(SLOT_BYTES, pool.bytes(slot).limit());
  }

  @Test
  void shouldGiveUpWhenTheTimeHasPassedAfterLookingWhatLeft() throws InterruptedException {
    takeAll();
    AtomicInteger looks = new AtomicInteger();
    assertEquals(SendBufferPool.NONE, pool.acquire(System.nanoTime(), looks::incrementAndGet));
    assertEquals(1, looks.get());
    long deadlineNs = inMs(20);
    assertEquals(SendBufferPool.NONE, pool.acquire(deadlineNs, looks::incrementAndGet));
    assertTrue(System.nanoTime() - deadlineNs >= 0, "gave up early");
    assertTrue(looks.get() >= 2, "looked " + looks.get() + " times");
  }

  @Test
  void shouldTakeAFreeSlotEvenAfterTheDeadlineAndWithoutLooking() throws InterruptedException {
    int slot =
        pool.acquire(
            System.nanoTime() - 1,
            () -> {
              throw new AssertionError("nothing to wait for");
            });
    assertTrue(slot >= 0);
  }

  @Test
  void shouldTakeWhatLeavesWhileItLooks() throws InterruptedException {
    takeAll();
    assertEquals(2, pool.acquire(System.nanoTime(), () -> pool.release(2)));
  }

  @Test
  void shouldTakeWhatAnotherThreadReleases() throws Exception {
    takeAll();
    CountDownLatch waiting = new CountDownLatch(1);
    Future<Integer> taken =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return pool.acquire(inMs(30_000), waiting::countDown);
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
            });
    assertTrue(waiting.await(30, TimeUnit.SECONDS));
    assertFalse(taken.isDone());
    pool.release(1);
    assertEquals(1, taken.get(30, TimeUnit.SECONDS));
  }

  @Test
  void shouldStopWaitingWhenInterrupted() {
    takeAll();
    Thread.currentThread().interrupt();
    assertThrows(InterruptedException.class, () -> pool.acquire(inMs(30_000), NOTHING_LEFT));
    assertFalse(Thread.currentThread().isInterrupted());
  }

  @Test
  void shouldNeverGiveOneSlotToTwoThreads() throws Exception {
    int threads = 6;
    AtomicIntegerArray owners = new AtomicIntegerArray(SLOTS);
    List<Future<?>> workers = new ArrayList<>();
    ExecutorService executor = Executors.newFixedThreadPool(threads);
    try {
      for (int thread = 0; thread < threads; thread++) {
        workers.add(executor.submit(() -> takeAndRelease(owners)));
      }
      for (Future<?> worker : workers) {
        worker.get(50, TimeUnit.SECONDS);
      }
    } finally {
      executor.shutdownNow();
    }
    assertEquals(SLOTS, pool.free());
    assertEquals(Set.of(0, 1, 2, 3), new HashSet<>(takeAll()));
  }

  private Void takeAndRelease(AtomicIntegerArray owners) throws InterruptedException {
    for (int round = 0; round < 3_000; round++) {
      int slot = pool.acquire(inMs(40_000), NOTHING_LEFT);
      assertTrue(slot >= 0, "no slot within 40 s");
      assertEquals(1, owners.incrementAndGet(slot));
      pool.retain(slot);
      pool.release(slot);
      assertEquals(0, owners.decrementAndGet(slot));
      pool.release(slot);
    }
    return null;
  }

  @Test
  void shouldTakeItsMemoryBackWhenClosed() {
    pool.close();
    pool.close();
    assertTrue(((PlainMemory) pool.memory()).closed);
  }
}
