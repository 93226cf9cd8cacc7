// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology.lab;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * A stream that one thread fills and another reads. Bounded: a writer waits while it is full. When
 * the reader has closed it, further bytes are dropped.
 */
final class ByteQueue extends InputStream {
  /** What a program may print before anybody reads. */
  private static final int LIMIT_BYTES = 1 << 24;

  /** How long it waits for a reader then; other queues are filled by the same thread. */
  private static final long PATIENCE_MS = 30_000;

  private final int limitBytes;
  private final long patienceNs;

  private final Deque<byte[]> chunks = new ArrayDeque<>();
  private int queuedBytes;
  private int offsetInFirst;
  private boolean ended;
  private boolean closed;
  private boolean overflowed;

  ByteQueue() {
    this(LIMIT_BYTES, PATIENCE_MS);
  }

  ByteQueue(int limitBytes, long patienceMs) {
    this.limitBytes = limitBytes;
    this.patienceNs = TimeUnit.MILLISECONDS.toNanos(patienceMs);
  }

  /**
   * Waits for capacity, for a bounded time: if the reader does not read, these bytes and all later
   * ones are lost, and the next read fails with that reason.
   */
  synchronized void put(byte[] chunk) throws InterruptedException {
    long deadlineNs = System.nanoTime() + patienceNs;
    while (isFull() && !overflowed) {
      long leftNs = deadlineNs - System.nanoTime();
      overflowed = leftNs <= 0;
      if (!overflowed) {
        TimeUnit.NANOSECONDS.timedWait(this, leftNs);
      }
    }
    if (!closed && !ended && !overflowed && chunk.length > 0) {
      chunks.add(chunk);
      queuedBytes += chunk.length;
      notifyAll();
    }
  }

  private boolean isFull() {
    return queuedBytes >= limitBytes && !closed && !ended;
  }

  /** Nothing more comes. */
  synchronized void end() {
    ended = true;
    notifyAll();
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
  }

  @Override
  public synchronized int read(byte[] target, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, target.length);
    if (length == 0) {
      return 0;
    }
    awaitBytes();
    if (chunks.isEmpty()) {
      return -1;
    }
    byte[] first = chunks.element();
    int count = Math.min(length, first.length - offsetInFirst);
    System.arraycopy(first, offsetInFirst, target, offset, count);
    offsetInFirst += count;
    queuedBytes -= count;
    if (offsetInFirst == first.length) {
      chunks.remove();
      offsetInFirst = 0;
    }
    notifyAll();
    return count;
  }

  private void awaitBytes() throws IOException {
    while (chunks.isEmpty() && (!ended || overflowed)) {
      if (overflowed) {
        throw new IOException(
            "the rest is lost: no reader came for %d s while %d bytes waited"
                .formatted(TimeUnit.NANOSECONDS.toSeconds(patienceNs), limitBytes));
      }
      if (closed) {
        throw new IOException("this stream is closed");
      }
      try {
        wait();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException("interrupted while reading", e);
      }
    }
  }

  @Override
  public synchronized int available() {
    return queuedBytes;
  }

  @Override
  public synchronized void close() {
    closed = true;
    chunks.clear();
    queuedBytes = 0;
    offsetInFirst = 0;
    notifyAll();
  }
}
