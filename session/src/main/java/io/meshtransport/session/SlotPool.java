// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session;

import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import java.nio.ByteBuffer;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The registered memory of what a session sends: slots of one length with a count of references,
 * one of the thread that fills a slot and one of each peer that it is sent to. Any thread may call
 * it; allocates nothing once it is made.
 */
final class SlotPool implements AutoCloseable {
  private final RegisteredMemory memory;
  private final SendSlot[] slots;
  private final int slotBytes;
  private final int[] free;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition released = lock.newCondition();
  private int freeCount;

  SlotPool(Session session, Transport transport, int count, int slotBytes)
      throws TransportException {
    this.slotBytes = slotBytes;
    memory = transport.allocate((long) count * slotBytes);
    slots = new SendSlot[count];
    free = new int[count];
    for (int i = 0; i < count; i++) {
      slots[i] = new SendSlot(session, this, i, slice((long) i * slotBytes));
      free[i] = count - 1 - i;
    }
    freeCount = count;
  }

  /** A slot may lie across two segments of the memory: then it is not used. */
  private ByteBuffer slice(long offsetBytes) {
    long begin = 0;
    for (ByteBuffer segment : memory.segments()) {
      long at = offsetBytes - begin;
      if (at >= 0 && at + slotBytes <= segment.capacity()) {
        return segment.slice((int) at, slotBytes);
      }
      begin += segment.capacity();
    }
    throw new IllegalArgumentException(
        "slots of %d bytes do not fit segments of the memory: %d bytes in all"
            .formatted(slotBytes, memory.lengthBytes()));
  }

  /** A free slot with one reference, the caller's; null if there is none. */
  SendSlot tryAcquire() {
    lock.lock();
    try {
      return freeCount == 0 ? null : acquire();
    } finally {
      lock.unlock();
    }
  }

  private SendSlot acquire() {
    SendSlot slot = slots[free[--freeCount]];
    slot.references = 1;
    return slot;
  }

  /**
   * Waits for a free slot.
   *
   * @return null if the time passed
   */
  SendSlot acquire(long timeoutNs) throws InterruptedException {
    long leftNs = timeoutNs;
    lock.lockInterruptibly();
    try {
      while (freeCount == 0 && leftNs > 0) {
        leftNs = released.awaitNanos(leftNs);
      }
      return freeCount == 0 ? null : acquire();
    } finally {
      lock.unlock();
    }
  }

  /** One more reference to a slot that has some. */
  void retain(SendSlot slot) {
    lock.lock();
    try {
      requireReferenced(slot);
      slot.references++;
    } finally {
      lock.unlock();
    }
  }

  /** Gives one reference back; with the last the slot is free. */
  void release(SendSlot slot) {
    lock.lock();
    try {
      requireReferenced(slot);
      if (--slot.references == 0) {
        free[freeCount++] = slot.index;
        released.signal();
      }
    } finally {
      lock.unlock();
    }
  }

  private static void requireReferenced(SendSlot slot) {
    if (slot.references == 0) {
      throw new IllegalStateException("slot " + slot.index + " has been given back");
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
    lock.lock();
    try {
      return freeCount;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    memory.close();
  }
}
