// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.rail;

/**
 * Chunks of messages, first in, first out: which message, where in it, how long. Confined to the
 * channel's lock; allocates nothing after it is made.
 */
public final class ChunkQueue {
  private final int[] slots;
  private final long[] offsetsBytes;
  private final int[] lengthsBytes;
  private int first;
  private int size;

  public ChunkQueue(int capacity) {
    slots = new int[capacity];
    offsetsBytes = new long[capacity];
    lengthsBytes = new int[capacity];
  }

  public int size() {
    return size;
  }

  boolean isFull() {
    return size == slots.length;
  }

  public void add(int slot, long offsetBytes, int lengthBytes) {
    int at = (first + size++) % slots.length;
    slots[at] = slot;
    offsetsBytes[at] = offsetBytes;
    lengthsBytes[at] = lengthBytes;
  }

  /** Takes over what is in another, which is empty then. */
  public ChunkQueue takeAll(ChunkQueue other) {
    while (other.size > 0) {
      add(other.slot(), other.offsetBytes(), other.lengthBytes());
      other.remove();
    }
    return this;
  }

  /** Of the oldest. */
  public int slot() {
    return slots[first];
  }

  /** Of the oldest. */
  public long offsetBytes() {
    return offsetsBytes[first];
  }

  /** Of the oldest. */
  public int lengthBytes() {
    return lengthsBytes[first];
  }

  /** Takes the oldest out. */
  public void remove() {
    first = (first + 1) % slots.length;
    size--;
  }
}
