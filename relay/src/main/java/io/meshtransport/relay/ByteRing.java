// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.relay;

import java.nio.ByteBuffer;

/**
 * Bytes in order, in memory that grows up to a limit and is not given back before the end. Whoever
 * has it guards it.
 */
final class ByteRing {
  private static final int FIRST_BYTES = 4 << 10;

  private final int maxBytes;
  private ByteBuffer ring;
  private int head;
  private int sizeBytes;

  /**
   * @param maxBytes a power of two, at least 4 KiB
   */
  ByteRing(int maxBytes) {
    this.maxBytes = maxBytes;
  }

  int sizeBytes() {
    return sizeBytes;
  }

  int freeBytes() {
    return maxBytes - sizeBytes;
  }

  /** Copies what there is space for, and advances the source's position over it. */
  int put(ByteBuffer source) {
    int count = Math.min(source.remaining(), freeBytes());
    ensureCapacity(sizeBytes + count);
    int left = count;
    while (left > 0) {
      int at = head + sizeBytes & ring.capacity() - 1;
      int run = Math.min(left, ring.capacity() - at);
      ring.put(at, source, source.position(), run);
      source.position(source.position() + run);
      sizeBytes += run;
      left -= run;
    }
    return count;
  }

  private void ensureCapacity(int bytes) {
    int capacity = ring == null ? 0 : ring.capacity();
    if (bytes <= capacity || bytes == 0) {
      return;
    }
    int larger = Math.max(FIRST_BYTES, capacity);
    while (larger < bytes) {
      larger *= 2;
    }
    ByteBuffer grown = ByteBuffer.allocateDirect(larger);
    if (sizeBytes > 0) {
      copyTo(grown, 0, 0, sizeBytes);
    }
    ring = grown;
    head = 0;
  }

  /** Copies bytes from a distance behind the first one; they stay here. */
  void copyTo(ByteBuffer target, int at, int from, int count) {
    int done = 0;
    while (done < count) {
      int begin = head + from + done & ring.capacity() - 1;
      int run = Math.min(count - done, ring.capacity() - begin);
      target.put(at + done, ring, begin, run);
      done += run;
    }
  }

  /** The first bytes, up to where the ring turns, read-only; empty if there are none. */
  ByteBuffer first() {
    if (sizeBytes == 0) {
      return ByteBuffer.allocate(0).asReadOnlyBuffer();
    }
    return ring.slice(head, Math.min(sizeBytes, ring.capacity() - head)).asReadOnlyBuffer();
  }

  void remove(int count) {
    sizeBytes -= count;
    head = sizeBytes == 0 ? 0 : head + count & ring.capacity() - 1;
  }
}
