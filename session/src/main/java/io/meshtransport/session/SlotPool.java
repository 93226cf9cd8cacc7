// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session;

import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The registered memory of what a session sends: slots of one length with a count of references,
 * one of the thread that fills a slot and one of each peer that it is sent to. Any thread may call
 * it; allocates nothing once it is made, and locks nothing unless a thread waits for a slot.
 *
 * <p>Closed, it gives no slot any more, and keeps its memory for as long as a thread may still
 * write to a slot that it has: until each is given back ({@link SendSlot#close}, {@link
 * SendSlot#handOver}). What is in flight needs nothing of that, because each request keeps its
 * memory itself.
 */
final class SlotPool implements AutoCloseable {
  private static final int NONE = -1;

  private final RegisteredMemory memory;
  private final SendSlot[] slots;
  private final int slotBytes;

  /**
   * The free slots as a stack (Treiber, 1986): the slot on top in the lower half, and a count of
   * changes in the upper half, so that a slot that left and came back is not mistaken for one that
   * stayed.
   */
  private final AtomicLong top = new AtomicLong(NONE & 0xffff_ffffL);

  private final AtomicIntegerArray below;
  private final AtomicIntegerArray references;
  private final AtomicInteger free = new AtomicInteger();
  private final AtomicInteger waiting = new AtomicInteger();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition released = lock.newCondition();
  private final Runnable onFree;
  private volatile boolean isClosed;

  /** Whether the memory goes once no thread writes to a slot. */
  private volatile boolean isEnding;

  /**
   * @param onFree called each time a slot has become free
   */
  SlotPool(Session session, Transport transport, int count, int slotBytes, Runnable onFree)
      throws TransportException {
    this.slotBytes = slotBytes;
    this.onFree = onFree;
    memory = transport.allocate((long) count * slotBytes);
    slots = new SendSlot[count];
    below = new AtomicIntegerArray(count);
    references = new AtomicIntegerArray(count);
    for (int i = count - 1; i >= 0; i--) {
      slots[i] = new SendSlot(session, this, i, slice((long) i * slotBytes));
      push(i);
    }
  }

  private ByteBuffer slice(long offsetBytes) {
    long begin = 0;
    for (ByteBuffer segment : memory.segments()) {
      long at = offsetBytes - begin;
      if (at >= 0 && at + slotBytes <= segment.capacity()) {
        return segment.slice((int) at, slotBytes);
      }
      begin += segment.capacity();
    }
    // Segments have 1 GiB, so a slot whose length is no power of two may lie across two of them.
    throw new IllegalArgumentException(
        "a slot of %d bytes at %d lies across two segments of the memory: make sendSlots times slotBytes at most 1 GiB, or slotBytes a power of two"
            .formatted(slotBytes, offsetBytes));
  }

  private void push(int index) {
    free.incrementAndGet();
    while (true) {
      long seen = top.get();
      below.set(index, (int) seen);
      if (top.compareAndSet(seen, next(seen, index))) {
        return;
      }
    }
  }

  private int pop() {
    while (true) {
      long seen = top.get();
      int index = (int) seen;
      if (index == NONE) {
        return NONE;
      }
      if (top.compareAndSet(seen, next(seen, below.get(index)))) {
        free.decrementAndGet();
        return index;
      }
    }
  }

  private static long next(long seen, int index) {
    return (seen >>> Integer.SIZE) + 1 << Integer.SIZE | index & 0xffff_ffffL;
  }

  /** A free slot with one reference, the caller's; null if there is none. */
  SendSlot tryAcquire() {
    int index = isClosed ? NONE : pop();
    if (index == NONE) {
      return null;
    }
    references.set(index, 1);
    SendSlot slot = slots[index];
    slot.clear();
    // Once more: closing sees either this slot claimed, or no slot that is claimed later.
    if (isClosed) {
      slot.close();
      return null;
    }
    return slot;
  }

  /**
   * Waits for a free slot.
   *
   * @return null if the time passed, or if no slot is given any more
   */
  SendSlot acquire(long timeoutNs) throws InterruptedException {
    long leftNs = timeoutNs;
    lock.lockInterruptibly();
    waiting.incrementAndGet();
    try {
      SendSlot slot = tryAcquire();
      while (slot == null && leftNs > 0 && !isClosed) {
        leftNs = released.awaitNanos(leftNs);
        slot = tryAcquire();
      }
      return slot;
    } finally {
      waiting.decrementAndGet();
      lock.unlock();
    }
  }

  /** One more reference to a slot that has some. */
  void retain(SendSlot slot) {
    if (references.getAndIncrement(slot.index) < 1) {
      references.decrementAndGet(slot.index);
      throw new IllegalStateException("slot " + slot.index + " has been given back");
    }
  }

  /** Gives one reference back; with the last the slot is free. */
  void release(SendSlot slot) {
    int left = references.decrementAndGet(slot.index);
    if (left < 0) {
      references.incrementAndGet(slot.index);
      throw new IllegalStateException("slot " + slot.index + " has been given back");
    }
    if (left == 0) {
      push(slot.index);
      if (waiting.get() > 0) {
        wake();
      }
      onFree.run();
    }
  }

  private void wake() {
    lock.lock();
    try {
      released.signal();
    } finally {
      lock.unlock();
    }
  }

  RegisteredMemory memory() {
    return memory;
  }

  SendSlot slot(int index) {
    return slots[index];
  }

  long offsetBytes(SendSlot slot) {
    return (long) slot.index * slotBytes;
  }

  int size() {
    return slots.length;
  }

  int free() {
    return free.get();
  }

  /** Gives no slot any more: threads that wait get none. */
  void refuseMore() {
    isClosed = true;
    lock.lock();
    try {
      released.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Never waits: the last thread that has a slot gives the memory back. Safe to call twice. */
  @Override
  public void close() {
    refuseMore();
    isEnding = true;
    unclaimed();
  }

  /** A slot is written by no thread any more. */
  void unclaimed() {
    if (isEnding && !isAnyClaimed()) {
      memory.close();
    }
  }

  private boolean isAnyClaimed() {
    for (SendSlot each : slots) {
      if (each.isClaimed()) {
        return true;
      }
    }
    return false;
  }
}
