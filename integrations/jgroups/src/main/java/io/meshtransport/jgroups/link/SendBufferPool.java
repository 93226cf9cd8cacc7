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
 * Registered memory for outgoing bundles: buffers of one size with a reference count, one reference
 * for each link that sends the bundle. Any thread may call it; the bytes of a buffer belong to the
 * caller that acquired it until it is passed to a link, and must not change from then on until the
 * last reference is released.
 */
public final class SendBufferPool implements AutoCloseable {
  /** No buffer is free. */
  public static final int NONE = -1;

  /** How long a waiting thread sleeps between two polls for completed sends. */
  private static final long POLL_NS = TimeUnit.MICROSECONDS.toNanos(500);

  /** Shorter than any bundle: code that reads a stand-in as the bundle's bytes fails. */
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
   * @param buffers how many
   * @param bufferBytes of each, the header included
   */
  public SendBufferPool(Transport transport, int buffers, int bufferBytes)
      throws TransportException {
    ByteBuffer all = ByteBuffer.allocateDirect(Math.multiplyExact(buffers, bufferBytes));
    memory = transport.register(all);
    this.bufferBytes = bufferBytes;
    bytes = new ByteBuffer[buffers];
    standIns = new byte[buffers][];
    references = new int[buffers];
    free = new int[buffers];
    for (int buffer = 0; buffer < buffers; buffer++) {
      bytes[buffer] = all.slice(buffer * bufferBytes, bufferBytes);
      standIns[buffer] = ByteBuffer.allocate(STAND_IN_BYTES).putInt(buffer).array();
      free[buffer] = buffers - 1 - buffer;
    }
    freeCount = buffers;
  }

  /** Acquires a buffer with one reference, or returns {@link #NONE}. */
  int tryAcquire() {
    lock.lock();
    try {
      if (freeCount == 0) {
        return NONE;
      }
      int buffer = free[--freeCount];
      references[buffer] = 1;
      bytes[buffer].clear();
      return buffer;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Acquires a buffer, waiting for one.
   *
   * @param deadlineNs on the clock of System.nanoTime
   * @param reap releases the buffers of completed sends, on all links
   * @return {@link #NONE} if the time passed
   */
  int acquire(long deadlineNs, Runnable reap) throws InterruptedException {
    int buffer = tryAcquire();
    while (buffer == NONE) {
      reap.run();
      buffer = tryAcquire();
      long leftNs = deadlineNs - System.nanoTime();
      if (buffer != NONE || leftNs <= 0) {
        return buffer;
      }
      awaitRelease(Math.min(leftNs, POLL_NS));
      buffer = tryAcquire();
    }
    return buffer;
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
   * Adds a reference to a buffer that the caller has a reference to.
   *
   * @throws IllegalStateException if it has none
   */
  void retain(int buffer) {
    lock.lock();
    try {
      requireRetained(buffer);
      references[buffer]++;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Releases one reference; the buffer is free with the last.
   *
   * @throws IllegalStateException if it has none
   */
  void release(int buffer) {
    lock.lock();
    try {
      requireRetained(buffer);
      if (--references[buffer] == 0) {
        free[freeCount++] = buffer;
        released.signal();
      }
    } finally {
      lock.unlock();
    }
  }

  private void requireRetained(int buffer) {
    if (references[buffer] == 0) {
      throw new IllegalStateException("buffer " + buffer + " has no reference");
    }
  }

  /** The bytes of a buffer, all between position and limit when acquired. */
  ByteBuffer bytes(int buffer) {
    return bytes[buffer];
  }

  /**
   * The array that represents a buffer where JGroups passes arrays: one for each buffer, always the
   * same.
   */
  byte[] standIn(int buffer) {
    return standIns[buffer];
  }

  /** The buffer of this pool that an array represents, or {@link #NONE}. */
  public int bufferOf(byte[] array) {
    if (array.length != STAND_IN_BYTES) {
      return NONE;
    }
    int buffer = ByteBuffer.wrap(array).getInt();
    return buffer >= 0 && buffer < standIns.length && standIns[buffer] == array ? buffer : NONE;
  }

  /** The bundle in a buffer, without the header: it changes when the buffer is used again. */
  public ByteBuffer bundle(int buffer, int lengthBytes) {
    return bytes[buffer].slice(BundleHeader.HEADER_BYTES, lengthBytes);
  }

  RegisteredMemory memory() {
    return memory;
  }

  long offsetBytes(int buffer) {
    return (long) buffer * bufferBytes;
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
