// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;

/**
 * The slots of the session's pool that the messages to one peer have, in its queue and in flight,
 * so that no peer has all of them. Any thread may call it; allocates and locks nothing.
 */
final class SlotShare {
  private final SlotPool pool;
  private final IntSupplier max;
  private final AtomicInteger used = new AtomicInteger();

  /**
   * @param max how many one peer may have now; threads that send at once may exceed it by one each
   */
  SlotShare(SlotPool pool, IntSupplier max) {
    this.pool = pool;
    this.max = max;
  }

  SlotPool pool() {
    return pool;
  }

  boolean isUsedUp() {
    return used.get() >= max.getAsInt();
  }

  boolean isUnused() {
    return used.get() == 0;
  }

  /** One more reference to a slot that has some: this peer's. */
  void retain(SendSlot slot) {
    pool.retain(slot);
    used.incrementAndGet();
  }

  /** The reference of the thread that has written a slot becomes this peer's. */
  void adopt(SendSlot slot) {
    slot.handOver();
    used.incrementAndGet();
  }

  /** Gives this peer's reference back. */
  void release(SendSlot slot) {
    used.decrementAndGet();
    pool.release(slot);
  }
}
