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
  private static final int BUFFERS = 4;
  private static final int BUFFER_BYTES = 48;
  private static final Runnable NOTHING_LEFT = () -> {};

  private final SendBufferPool pool = pool(BUFFERS);

  /** Over a transport that can do nothing but register. */
  static SendBufferPool pool(int buffers) {
    try {
      return new SendBufferPool(ScriptedTransport.registering(), buffers, BUFFER_BYTES);
    } catch (TransportException e) {
      throw new IllegalStateException(e);
    }
  }

  private static long inMs(long ms) {
    return System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(ms);
  }

  private List<Integer> acquireAll() {
    List<Integer> taken = new ArrayList<>();
    for (int buffer = pool.tryAcquire();
        buffer != SendBufferPool.NONE;
        buffer = pool.tryAcquire()) {
      taken.add(buffer);
    }
    return taken;
  }

  @Test
  void shouldGiveEachSlotOnceAndThenNone() {
    assertEquals(Set.of(0, 1, 2, 3), new HashSet<>(acquireAll()));
    assertEquals(0, pool.free());
    assertEquals(BUFFERS, pool.size());
    assertEquals(SendBufferPool.NONE, pool.tryAcquire());
  }

  @Test
  void shouldPlaceSlotsSideBySideInTheRegisteredMemory() {
    ByteBuffer all = pool.memory().segments().get(0);
    assertEquals(BUFFERS * BUFFER_BYTES, pool.memory().lengthBytes());
    for (int buffer : acquireAll()) {
      assertEquals(BUFFER_BYTES, pool.bytes(buffer).capacity());
      pool.bytes(buffer).put(0, (byte) (buffer + 1)).put(BUFFER_BYTES - 1, (byte) -buffer);
    }
    for (int buffer = 0; buffer < BUFFERS; buffer++) {
      int at = (int) pool.offsetBytes(buffer);
      assertEquals(buffer + 1, all.get(at));
      assertEquals(-buffer, all.get(at + BUFFER_BYTES - 1));
    }
  }

  @Test
  void shouldFreeASlotWithItsLastHold() {
    int buffer = pool.tryAcquire();
    pool.retain(buffer);
    pool.retain(buffer);
    pool.release(buffer);
    pool.release(buffer);
    assertEquals(BUFFERS - 1, pool.free());
    pool.release(buffer);
    assertEquals(BUFFERS, pool.free());
  }

  @Test
  void shouldRefuseToReleaseOrRetainAFreeSlot() {
    int buffer = pool.tryAcquire();
    pool.release(buffer);
    assertThrows(IllegalStateException.class, () -> pool.release(buffer));
    assertThrows(IllegalStateException.class, () -> pool.release(buffer));
    assertThrows(IllegalStateException.class, () -> pool.retain(buffer));
    assertEquals(BUFFERS, new HashSet<>(acquireAll()).size());
    pool.release(buffer);
    assertEquals(1, pool.free());
  }

  @Test
  void shouldReturnASlotWithAllItsCapacityWhateverItsLastOwnerDid() {
    int buffer = pool.tryAcquire();
    pool.bytes(buffer).position(3).limit(5);
    pool.release(buffer);
    assertEquals(buffer, pool.tryAcquire());
    assertEquals(0, pool.bytes(buffer).position());
    assertEquals(BUFFER_BYTES, pool.bytes(buffer).limit());
  }

  @Test
  void shouldFailWhenTheTimeHasPassedAfterReaping() throws InterruptedException {
    acquireAll();
    AtomicInteger looks = new AtomicInteger();
    assertEquals(SendBufferPool.NONE, pool.acquire(System.nanoTime(), looks::incrementAndGet));
    assertEquals(1, looks.get());
    long deadlineNs = inMs(20);
    assertEquals(SendBufferPool.NONE, pool.acquire(deadlineNs, looks::incrementAndGet));
    assertTrue(System.nanoTime() - deadlineNs >= 0, "gave up early");
    assertTrue(looks.get() >= 2, "looked " + looks.get() + " times");
  }

  @Test
  void shouldAcquireAFreeSlotEvenAfterTheDeadlineWithoutReaping() throws InterruptedException {
    int buffer =
        pool.acquire(
            System.nanoTime() - 1,
            () -> {
              throw new AssertionError("nothing to wait for");
            });
    assertTrue(buffer >= 0);
  }

  @Test
  void shouldAcquireASlotThatIsReapedMeanwhile() throws InterruptedException {
    acquireAll();
    assertEquals(2, pool.acquire(System.nanoTime(), () -> pool.release(2)));
  }

  @Test
  void shouldAcquireASlotThatAnotherThreadReleases() throws Exception {
    acquireAll();
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
    acquireAll();
    Thread.currentThread().interrupt();
    assertThrows(InterruptedException.class, () -> pool.acquire(inMs(30_000), NOTHING_LEFT));
    assertFalse(Thread.currentThread().isInterrupted());
  }

  @Test
  void shouldNeverGiveOneSlotToTwoThreads() throws Exception {
    int threads = 6;
    AtomicIntegerArray owners = new AtomicIntegerArray(BUFFERS);
    List<Future<?>> workers = new ArrayList<>();
    ExecutorService executor = Executors.newFixedThreadPool(threads);
    try {
      for (int thread = 0; thread < threads; thread++) {
        workers.add(executor.submit(() -> acquireAndRelease(owners)));
      }
      for (Future<?> worker : workers) {
        worker.get(50, TimeUnit.SECONDS);
      }
    } finally {
      executor.shutdownNow();
    }
    assertEquals(BUFFERS, pool.free());
    assertEquals(Set.of(0, 1, 2, 3), new HashSet<>(acquireAll()));
  }

  private Void acquireAndRelease(AtomicIntegerArray owners) throws InterruptedException {
    for (int round = 0; round < 3_000; round++) {
      int buffer = pool.acquire(inMs(40_000), NOTHING_LEFT);
      assertTrue(buffer >= 0, "no buffer within 40 s");
      assertEquals(1, owners.incrementAndGet(buffer));
      pool.retain(buffer);
      pool.release(buffer);
      assertEquals(0, owners.decrementAndGet(buffer));
      pool.release(buffer);
    }
    return null;
  }

  @Test
  void shouldReleaseItsMemoryWhenClosed() {
    pool.close();
    pool.close();
    assertTrue(((PlainMemory) pool.memory()).closed);
  }
}
