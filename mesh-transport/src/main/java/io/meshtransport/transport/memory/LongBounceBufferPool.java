// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.memory;

import io.meshtransport.spi.TransportException;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Bounce buffers for long messages of memory that cannot be registered: buffers on the heap, and
 * read-only ones. Each has the length of its message, so that the wire sees one message, and the
 * receiver's memory is where the peer writes. Those not in use stay registered up to a bound, the
 * latest used longest. Any thread may call it; allocates nothing while the lengths of messages
 * repeat, give or take a half.
 */
final class LongBounceBufferPool {
  /** Max buffers that are kept; their bytes are the closer bound, unless they are short. */
  private static final int MAX_IDLE = 256;

  /** Steps of lengths between two powers of two, above what the pool of memory cuts by them. */
  private static final int STEPS = 4;

  private static final int POWERS_UP_TO_BYTES = 1 << 20;

  private final MemoryRegistry table;
  private final long maxBytes;
  private final long maxReceivingBytes;
  private final long maxIdleBytes;
  private final Consumer<BounceBuffer> onRelease = this::release;

  /** Oldest use first. */
  private final BounceBuffer[] idle = new BounceBuffer[MAX_IDLE];

  private int idleCount;
  private long idleBytes;
  private long sendingBytes;
  private long receivingBytes;

  /**
   * @param maxBytes that are in use at once, unless a single message is longer
   * @param maxIdleBytes that stay registered while not in use
   */
  LongBounceBufferPool(MemoryRegistry table, long maxBytes, long maxIdleBytes) {
    this.table = table;
    this.maxBytes = maxBytes;
    this.maxReceivingBytes = maxBytes - maxBytes / 4;
    this.maxIdleBytes = maxIdleBytes;
  }

  /**
   * One for a request, which releases it; null if too many bytes are in use. Receives leave a
   * quarter to sends, as in {@link BounceBufferPool}, and one send and one receive are always
   * possible, however long they are.
   *
   * @throws TransportException NO_RESOURCES if there is no memory for it
   */
  synchronized BounceBuffer acquire(long messageBytes, boolean isForReceiving)
      throws TransportException {
    int fitting = fitting(messageBytes);
    long bytes = fitting >= 0 ? idle[fitting].lengthBytes() : lengthOf(messageBytes);
    if (!mayUse(bytes, isForReceiving)) {
      return null;
    }
    BounceBuffer acquired = fitting >= 0 ? removeIdle(fitting) : make(bytes);
    acquired.isReceiving(isForReceiving);
    count(acquired, 1);
    return acquired;
  }

  private boolean mayUse(long bytes, boolean isForReceiving) {
    long same = isForReceiving ? receivingBytes : sendingBytes;
    long maxSame = isForReceiving ? maxReceivingBytes : maxBytes;
    return same == 0
        || bytes <= maxSame - same && bytes <= maxBytes - sendingBytes - receivingBytes;
  }

  private void count(BounceBuffer buffer, int sign) {
    if (buffer.isReceiving()) {
      receivingBytes += sign * buffer.lengthBytes();
    } else {
      sendingBytes += sign * buffer.lengthBytes();
    }
  }

  /** The shortest idle one that is long enough and at most twice as long; -1 for none. */
  private int fitting(long messageBytes) {
    int best = -1;
    for (int i = 0; i < idleCount; i++) {
      long bytes = idle[i].lengthBytes();
      if (bytes >= messageBytes
          && bytes / 2 <= messageBytes
          && (best < 0 || bytes < idle[best].lengthBytes())) {
        best = i;
      }
    }
    return best;
  }

  /** Rounded up, so that messages of similar lengths can follow each other. */
  private static long lengthOf(long messageBytes) {
    long step =
        messageBytes <= POWERS_UP_TO_BYTES
            ? Long.highestOneBit(2 * messageBytes - 1)
            : Long.highestOneBit(messageBytes) / STEPS;
    return (messageBytes + step - 1) / step * step;
  }

  private BounceBuffer make(long bytes) throws TransportException {
    try {
      return new BounceBuffer(onRelease, table.allocate(bytes, Set.of()));
    } catch (TransportException e) {
      // What is kept for later must not be what stands in the way now.
      if (idleCount == 0) {
        throw e;
      }
      trimTo(0);
      return new BounceBuffer(onRelease, table.allocate(bytes, Set.of()));
    }
  }

  private synchronized void release(BounceBuffer buffer) {
    count(buffer, -1);
    if (idleCount == MAX_IDLE) {
      removeIdle(0).memory().close();
    }
    idle[idleCount++] = buffer;
    idleBytes += buffer.lengthBytes();
    trimTo(maxIdleBytes);
  }

  private void trimTo(long bytes) {
    while (idleBytes > bytes) {
      removeIdle(0).memory().close();
    }
  }

  private BounceBuffer removeIdle(int index) {
    BounceBuffer removed = idle[index];
    System.arraycopy(idle, index + 1, idle, index, --idleCount - index);
    idle[idleCount] = null;
    idleBytes -= removed.lengthBytes();
    return removed;
  }

  /** Bytes of all that is registered for it. */
  synchronized long bytes() {
    return idleBytes + sendingBytes + receivingBytes;
  }

  synchronized long bytesInUse() {
    return sendingBytes + receivingBytes;
  }
}
