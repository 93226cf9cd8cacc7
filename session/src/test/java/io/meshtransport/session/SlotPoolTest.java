// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.spi.InMemoryTransport;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SlotPoolTest {
  private InMemoryTransport transport;
  private SlotPool pool;

  @BeforeEach
  void open() throws Exception {
    transport = new InMemoryTransport("a");
    pool = new SlotPool(null, transport, 2, 256, () -> {});
  }

  @AfterEach
  void close() {
    pool.close();
    transport.close();
  }

  @Test
  void shouldGiveEachSlotOnce() throws Exception {
    SendSlot one = pool.tryAcquire();
    SendSlot other = pool.tryAcquire();
    assertEquals(256, Math.abs(pool.offsetBytes(one) - pool.offsetBytes(other)));
    assertNull(pool.tryAcquire());
    assertNull(pool.acquire(1_000));
    one.close();
    assertSame(one, pool.tryAcquire());
    assertSame(other, pool.slot(other.index));
  }

  @Test
  void shouldFreeASlotWithItsLastReference() {
    SendSlot slot = pool.tryAcquire();
    pool.retain(slot);
    pool.release(slot);
    assertEquals(1, pool.free());
    pool.release(slot);
    assertEquals(2, pool.free());
    assertThrows(IllegalStateException.class, () -> pool.release(slot));
    assertThrows(IllegalStateException.class, () -> pool.retain(slot));
  }

  @Test
  void shouldWakeWhoWaits() throws Exception {
    SendSlot slot = pool.tryAcquire();
    pool.tryAcquire();
    CompletableFuture<SendSlot> waiting =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return pool.acquire(TimeUnit.SECONDS.toNanos(20));
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
            });
    pool.release(slot);
    assertNotNull(waiting.get(20, TimeUnit.SECONDS));
  }

  /** Whether the memory is the pool's still. */
  private boolean isOpen() {
    try {
      return pool.memory().address() != 0;
    } catch (IllegalStateException e) {
      return false;
    }
  }

  @Test
  void shouldKeepItsMemoryUntilNoThreadHasASlot() {
    SendSlot one = pool.tryAcquire();
    SendSlot other = pool.tryAcquire();
    pool.retain(other);
    pool.close();
    assertTrue(isOpen());
    one.close();
    assertNull(pool.tryAcquire(), "a closed pool has a slot, and gives none");
    assertTrue(isOpen());
    other.close();
    assertFalse(isOpen(), "what is in flight keeps its memory itself");
    pool.release(other);
    pool.close();
  }

  @Test
  void shouldNotWaitForASlotThatALinkHas() {
    SendSlot slot = pool.tryAcquire();
    slot.handOver();
    pool.close();
    assertFalse(isOpen());
  }

  @Test
  void shouldRefuseWhoWaitsWhenItGivesNoMore() throws Exception {
    pool.tryAcquire();
    pool.tryAcquire();
    CompletableFuture<SendSlot> waiting = new CompletableFuture<>();
    Thread waiter =
        new Thread(
            () -> {
              try {
                waiting.complete(pool.acquire(TimeUnit.DAYS.toNanos(1)));
              } catch (InterruptedException e) {
                waiting.completeExceptionally(e);
              }
            });
    waiter.start();
    pool.refuseMore();
    assertNull(waiting.get(20, TimeUnit.SECONDS));
    assertTrue(isOpen());
  }

  /** Threads that acquire while it is closed have a slot of open memory, or none. */
  @Test
  void shouldGiveNoSlotOfClosedMemory() throws Exception {
    for (int round = 0; round < 200; round++) {
      SlotPool closing = new SlotPool(null, transport, 2, 256, () -> {});
      CountDownLatch isBegun = new CountDownLatch(1);
      CompletableFuture<Void> writer =
          CompletableFuture.runAsync(
              () -> {
                for (SendSlot slot = closing.tryAcquire();
                    slot != null;
                    slot = closing.tryAcquire()) {
                  isBegun.countDown();
                  assertNotEquals(0, closing.memory().address());
                  slot.close();
                }
              });
      isBegun.await(20, TimeUnit.SECONDS);
      closing.close();
      writer.get(20, TimeUnit.SECONDS);
      assertThrows(IllegalStateException.class, () -> closing.memory().address());
    }
  }
}
