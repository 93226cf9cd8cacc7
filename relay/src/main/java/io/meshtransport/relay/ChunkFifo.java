// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.relay;

/** Chunks in order of arrival. Allocates nothing. */
final class ChunkFifo {
  private Chunk first;
  private Chunk last;

  boolean isEmpty() {
    return first == null;
  }

  /** The oldest; null if there is none. */
  Chunk peek() {
    return first;
  }

  void add(Chunk chunk) {
    chunk.next = null;
    if (last == null) {
      first = chunk;
    } else {
      last.next = chunk;
    }
    last = chunk;
  }

  /** Removes the oldest; null if there is none. */
  Chunk poll() {
    Chunk removed = first;
    if (removed != null) {
      first = removed.next;
      removed.next = null;
      last = first == null ? null : last;
    }
    return removed;
  }
}
