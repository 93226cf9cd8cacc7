// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.spi.InMemoryTransport;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** {@link OutgoingQueue} of {@link Outgoing} messages, which their ids tell apart. */
class OutgoingQueueTest {
  private static final int SLOTS = 4;
  private static final int LENGTH_BYTES = 8;

  private final InMemoryTransport transport = new InMemoryTransport("a");
  private SlotPool pool;
  private SlotShare share;
  private OutgoingQueue queue;

  @BeforeEach
  void open() throws Exception {
    pool = new SlotPool(null, transport, SLOTS, 256, () -> {});
    share = new SlotShare(pool, () -> SLOTS);
    queue = new OutgoingQueue(share);
  }

  @AfterEach
  void close() {
    pool.close();
    transport.close();
  }

  private static Outgoing copy(long id) {
    ByteBuffer message = ByteBuffer.allocate(LENGTH_BYTES).putLong(0, id);
    return Outgoing.copyOf(message, Frame.MESSAGE, id, null, null);
  }

  private Outgoing inSlot(long id) {
    try (SendSlot slot = pool.tryAcquire()) {
      slot.write(ByteBuffer.allocate(LENGTH_BYTES).putLong(0, id), Frame.MESSAGE, id);
      share.retain(slot);
      return Outgoing.inSlot(slot, LENGTH_BYTES, Frame.MESSAGE, id, null);
    }
  }

  private List<Long> ids() {
    List<Long> ids = new ArrayList<>();
    while (!queue.isEmpty()) {
      ids.add(queue.first().id);
      queue.removeFirst();
    }
    return ids;
  }

  @Test
  void shouldKeepTheOrder() {
    queue.add(inSlot(1), true);
    queue.add(copy(2), true);
    queue.addFirst(copy(0));
    assertEquals(3, queue.size());
    assertEquals(List.of(0L, 1L, 2L), ids());
    assertNull(queue.first());
  }

  @Test
  void shouldLetMessagesWaitInTheirSlotsOnlyWhereNoCopyWaits() {
    queue.add(inSlot(1), true);
    assertNotNull(queue.first().slot);
    queue.add(copy(2), true);
    queue.add(inSlot(3), true);
    assertEquals(SLOTS - 1, pool.free(), "the third is a copy");
    queue.removeFirst();
    queue.removeFirst();
    assertEquals(3, queue.first().bytes.getLong(0));
    queue.removeFirst();
    queue.add(inSlot(4), true);
    assertNotNull(queue.first().slot, "no copy waits any more");
  }

  @Test
  void shouldLetNoMessageWaitInItsSlotWithoutAConnection() {
    queue.add(inSlot(1), false);
    assertNull(queue.first().slot);
    assertTrue(share.isUnused());
  }

  @Test
  void shouldGiveSlotsBackAndBeginAgainOnceTheConnectionIsGone() {
    queue.add(inSlot(1), true);
    queue.add(inSlot(2), true);
    queue.addFirst(copy(0));
    queue.first().frameSent(Frame.HEADER_BYTES + 1);
    assertTrue(queue.first().hasBegun());
    queue.restart();
    assertFalse(queue.first().hasBegun());
    assertEquals(SLOTS, pool.free());
    queue.add(inSlot(3), true);
    assertEquals(SLOTS, pool.free(), "behind copies");
    assertEquals(List.of(0L, 1L, 2L, 3L), ids());
  }

  @Test
  void shouldRemoveTheOldestThatIsUnwanted() {
    queue.add(copy(1), true);
    queue.add(copy(2), true);
    queue.add(copy(4), true);
    assertEquals(2, queue.removeOldest(each -> each.id % 2 == 0).id);
    assertNull(queue.removeOldest(each -> each.id == 2));
    assertEquals(List.of(1L, 4L), ids());
  }

  @Test
  void shouldRemoveAllThatAreUnwanted() {
    for (int i = 0; i < 6; i++) {
      queue.add(copy(i), true);
    }
    List<Long> removed = new ArrayList<>();
    queue.removeIf(each -> each.id != 3, each -> removed.add(each.id));
    assertEquals(List.of(0L, 1L, 2L, 4L, 5L), removed);
    assertEquals(List.of(3L), ids());
    queue.add(inSlot(6), true);
    assertNotNull(queue.first().slot, "no copy waits any more");
  }
}
