// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.channel;

/**
 * Small numbers in order of arrival, in a ring that grows with the most it ever had. Adding at
 * either end and removing from either end take a bounded number of steps; removal from the middle
 * keeps the order and moves the shorter side. Confined to the channel's lock.
 */
public final class SlotFifo {
  private static final int GROWTH = 4;

  /** Its length is a power of two. */
  private int[] ring = new int[TableGrowth.FIRST];

  private int head;
  private int size;

  public int size() {
    return size;
  }

  public int get(int position) {
    return ring[at(position)];
  }

  private int at(int position) {
    return head + position & ring.length - 1;
  }

  /** Where a value stands, or -1. */
  public int position(int value) {
    for (int position = 0; position < size; position++) {
      if (get(position) == value) {
        return position;
      }
    }
    return -1;
  }

  public void add(int value) {
    ensureSpace();
    ring[at(size++)] = value;
  }

  /** Puts a value before all others. */
  public void addFirst(int value) {
    ensureSpace();
    head = at(-1);
    ring[head] = value;
    size++;
  }

  private void ensureSpace() {
    if (size < ring.length) {
      return;
    }
    int[] larger = new int[GROWTH * size];
    for (int position = 0; position < size; position++) {
      larger[position] = get(position);
    }
    ring = larger;
    head = 0;
  }

  /** Removes and returns the value at a position. */
  public int removeAt(int position) {
    int value = get(position);
    if (position < size / 2) {
      for (int i = position; i > 0; i--) {
        ring[at(i)] = ring[at(i - 1)];
      }
      head = at(1);
    } else {
      for (int i = position; i < size - 1; i++) {
        ring[at(i)] = ring[at(i + 1)];
      }
    }
    size--;
    return value;
  }

  /** Removes the values before a position. */
  public void removeFirst(int count) {
    head = at(count);
    size -= count;
  }

  /** Removes a value if it is there. */
  public void remove(int value) {
    int position = position(value);
    if (position >= 0) {
      removeAt(position);
    }
  }

  public void clear() {
    size = 0;
  }
}
