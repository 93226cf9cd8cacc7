// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.memory;

import io.meshtransport.spi.TransportException;
import java.util.Arrays;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The bounce buffers of one transport: made as they are needed up to a number, and used again and
 * again. Any thread may call it.
 */
final class BounceBufferPool {
  private static final int FIRST_CAPACITY = 8;

  private final MemoryRegistry table;
  private final int lengthBytes;
  private final int atMost;
  private final int receivingAtMost;
  private final Consumer<BounceBuffer> onRelease = this::giveBack;
  private BounceBuffer[] free = new BounceBuffer[FIRST_CAPACITY];
  private int freeCount;
  private int made;
  private int receiving;

  /**
   * @param lengthBytes of each
   */
  BounceBufferPool(MemoryRegistry table, int lengthBytes, int atMost) {
    this.table = table;
    this.lengthBytes = lengthBytes;
    this.atMost = atMost;
    this.receivingAtMost = atMost - atMost / 4;
  }

  /** Whether a message is short enough to be copied. */
  boolean takes(int messageBytes) {
    return messageBytes <= lengthBytes;
  }

  int lengthBytes() {
    return lengthBytes;
  }

  /**
   * One for a request, which releases it; null if all are in use. Receives, which may wait for
   * long, leave a quarter of them to sends: two nodes that receive before they send would both be
   * stuck.
   *
   * @throws TransportException NO_RESOURCES if no memory for it can be registered
   */
  synchronized BounceBuffer take(boolean isForReceiving) throws TransportException {
    if (isForReceiving && receiving == receivingAtMost || freeCount == 0 && made == atMost) {
      return null;
    }
    BounceBuffer taken = freeCount > 0 ? free[--freeCount] : make();
    taken.isReceiving(isForReceiving);
    receiving += isForReceiving ? 1 : 0;
    return taken;
  }

  private BounceBuffer make() throws TransportException {
    BounceBuffer more =
        new BounceBuffer(onRelease, table.allocate(Math.max(1, lengthBytes), Set.of()));
    made++;
    return more;
  }

  private synchronized void giveBack(BounceBuffer buffer) {
    receiving -= buffer.isReceiving() ? 1 : 0;
    if (freeCount == free.length) {
      free = Arrays.copyOf(free, 2 * freeCount);
    }
    free[freeCount++] = buffer;
  }

  synchronized int made() {
    return made;
  }

  synchronized int inUse() {
    return made - freeCount;
  }
}
