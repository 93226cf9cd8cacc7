// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.link;

import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Registered memory for bundles on their way out: slots of one size, each held by as many links as
 * its bundle goes to. Any thread may call it; the bytes of a slot belong to whoever took it until
 * it is handed to a link, then to nobody until the last hold is released.
 */
public final class SendBufferPool implements AutoCloseable {
  /** No slot is free. */
  public static final int NONE = -1;

  /** How long a waiting thread sleeps between two looks at what has left meanwhile. */
  private static final long POLL_NS = TimeUnit.MICROSECONDS.toNanos(500);

  /** Shorter than any bundle: where one is taken for a bundle's bytes, that fails. */
  private static final int STAND_IN_BYTES = Integer.BYTES;

  private final RegisteredMemory memory;
  private final ByteBuffer[] bytes;
  private final byte[][] standIns;
  private final int bufferBytes;
  private final int[] references;
  private final int[] free;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition released = lock.newCondition();
  private int freeCount;

  /**
   * @param slots how many
   * @param slotBytes of each, the frame's header included
   */
  public SendBufferPool(Transport transport, int slots, int slotBytes) throws TransportException {
    ByteBuffer all = ByteBuffer.allocateDirect(Math.multiplyExact(slots, slotBytes));
    memory = transport.register(all);
    this.bufferBytes = slotBytes;
    bytes = new ByteBuffer[slots];
    standIns = new byte[slots][];
    references = new int[slots];
    free = new int[slots];
    for (int slot = 0; slot < slots; slot++) {
      bytes[slot] = all.slice(slot * slotBytes, slotBytes);
      standIns[slot] = ByteBuffer.allocate(STAND_IN_BYTES).putInt(slot).array();
      free[slot] = slots - 1 - slot;
    }
    freeCount = slots;
  }

  /** Takes a slot with one hold on it, or answers {@link #NONE}. */
  int tryAcquire() {
    lock.lock();
    try {
      if (freeCount == 0) {
        return NONE;
      }
      int slot = free[--freeCount];
      references[slot] = 1;
      bytes[slot].clear();
      return slot;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Takes a slot, waiting for one.
   *
   * @param deadlineNs on the clock of System.nanoTime
   * @param reap frees the slots of what has left meanwhile, on all links
   * @return {@link #NONE} if the time passed
   */
  int acquire(long deadlineNs, Runnable reap) throws InterruptedException {
    int slot = tryAcquire();
    while (slot == NONE) {
      reap.run();
      slot = tryAcquire();
      long leftNs = deadlineNs - System.nanoTime();
      if (slot != NONE || leftNs <= 0) {
        return slot;
      }
      awaitRelease(Math.min(leftNs, POLL_NS));
      slot = tryAcquire();
    }
    return slot;
  }

  private void awaitRelease(long atMostNs) throws InterruptedException {
    lock.lock();
    try {
      if (freeCount == 0) {
        released.awaitNanos(atMostNs);
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * One more holder of a slot that the caller holds.
   *
   * @throws IllegalStateException if nobody holds it
   */
  void retain(int slot) {
    lock.lock();
    try {
      requireRetained(slot);
      references[slot]++;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Gives back one hold; the slot is free with the last.
   *
   * @throws IllegalStateException if nobody holds it
   */
  void release(int slot) {
    lock.lock();
    try {
      requireRetained(slot);
      if (--references[slot] == 0) {
        free[freeCount++] = slot;
        released.signal();
      }
    } finally {
      lock.unlock();
    }
  }

  private void requireRetained(int slot) {
    if (references[slot] == 0) {
      throw new IllegalStateException("slot " + slot + " is held by nobody");
    }
  }

  /** The bytes of a slot, all between position and limit when taken; then the holder's to move. */
  ByteBuffer bytes(int slot) {
    return bytes[slot];
  }

  /** What takes the place of a slot where only arrays can go: always the same one for a slot. */
  byte[] standIn(int slot) {
    return standIns[slot];
  }

  /** The slot of this pool that an array stands for, or {@link #NONE}. */
  public int bufferOf(byte[] array) {
    if (array.length != STAND_IN_BYTES) {
      return NONE;
    }
    int slot = ByteBuffer.wrap(array).getInt();
    return slot >= 0 && slot < standIns.length && standIns[slot] == array ? slot : NONE;
  }

  /** The bundle in a slot, without the frame's header: it changes when the slot is used again. */
  public ByteBuffer bundle(int slot, int lengthBytes) {
    return bytes[slot].slice(BundleHeader.HEADER_BYTES, lengthBytes);
  }

  RegisteredMemory memory() {
    return memory;
  }

  long offsetBytes(int slot) {
    return (long) slot * bufferBytes;
  }

  int size() {
    return references.length;
  }

  public int free() {
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
