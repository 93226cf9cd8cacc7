// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.spi.InMemoryTransport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SlotShareTest {
  private static final int SLOTS = 3;

  private final InMemoryTransport transport = new InMemoryTransport("a");
  private SlotPool pool;
  private SlotShare share;
  private int max = 2;

  @BeforeEach
  void open() throws Exception {
    pool = new SlotPool(null, transport, SLOTS, 256, () -> {});
    share = new SlotShare(pool, () -> max);
    assertSame(pool, share.pool());
  }

  @AfterEach
  void close() {
    pool.close();
    transport.close();
  }

  @Test
  void shouldBeUsedUpAtAsManySlotsAsThePeerMayHaveNow() {
    SendSlot one = pool.tryAcquire();
    SendSlot other = pool.tryAcquire();
    assertTrue(share.isUnused());
    share.retain(one);
    assertFalse(share.isUnused());
    assertFalse(share.isUsedUp());
    share.adopt(other);
    assertTrue(share.isUsedUp());
    max = 3;
    assertFalse(share.isUsedUp(), "another peer has gone");
  }

  @Test
  void shouldHaveAReferenceToWhatItsThreadHasGivenBack() {
    SendSlot slot = pool.tryAcquire();
    share.retain(slot);
    slot.close();
    assertEquals(SLOTS - 1, pool.free());
    share.release(slot);
    assertEquals(SLOTS, pool.free());
    assertTrue(share.isUnused());
  }

  @Test
  void shouldTakeOverTheReferenceOfItsThread() {
    SendSlot slot = pool.tryAcquire();
    share.adopt(slot);
    assertFalse(slot.isClaimed());
    share.release(slot);
    assertEquals(SLOTS, pool.free());
  }
}
