// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.meshtransport.spi.InMemoryTransport;
import java.util.concurrent.CompletableFuture;
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
}
