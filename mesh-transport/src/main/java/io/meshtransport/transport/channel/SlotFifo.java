// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.channel;

import java.util.Arrays;

/**
 * Small numbers in order of arrival; its capacity grows with the most it ever had. Removal from the
 * middle keeps the order. Confined to the channel's lock.
 */
public final class SlotFifo {
  private int[] values = new int[TableGrowth.FIRST];
  private int size;

  public int size() {
    return size;
  }

  public int get(int position) {
    return values[position];
  }

  /** Where a value stands, or -1. */
  public int position(int value) {
    for (int position = 0; position < size; position++) {
      if (values[position] == value) {
        return position;
      }
    }
    return -1;
  }

  public void add(int value) {
    if (size == values.length) {
      values = Arrays.copyOf(values, 8 * size);
    }
    values[size++] = value;
  }

  /** Puts a value before all others. */
  public void addFirst(int value) {
    add(value);
    System.arraycopy(values, 0, values, 1, size - 1);
    values[0] = value;
  }

  /** Takes out what stands at a position. */
  public int removeAt(int position) {
    int value = values[position];
    System.arraycopy(values, position + 1, values, position, size - position - 1);
    size--;
    return value;
  }

  /** Takes out the values before a position. */
  public void removeFirst(int count) {
    System.arraycopy(values, count, values, 0, size - count);
    size -= count;
  }

  /** Takes out a value if it is there. */
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
