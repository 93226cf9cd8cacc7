// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import java.util.Arrays;

/**
 * Small numbers in order of arrival; its room grows with the most it ever held. Removal from the
 * middle keeps the order. Confined to the channel's lock.
 */
final class SlotFifo {
  private int[] values = new int[TableGrowth.FIRST];
  private int size;

  int size() {
    return size;
  }

  int get(int position) {
    return values[position];
  }

  /** Where a value stands, or -1. */
  int position(int value) {
    for (int position = 0; position < size; position++) {
      if (values[position] == value) {
        return position;
      }
    }
    return -1;
  }

  void add(int value) {
    if (size == values.length) {
      values = Arrays.copyOf(values, 8 * size);
    }
    values[size++] = value;
  }

  /** Puts a value before all others. */
  void addFirst(int value) {
    add(value);
    System.arraycopy(values, 0, values, 1, size - 1);
    values[0] = value;
  }

  /** Takes out what stands at a position. */
  int removeAt(int position) {
    int value = values[position];
    System.arraycopy(values, position + 1, values, position, size - position - 1);
    size--;
    return value;
  }

  /** Takes out a value if it is there. */
  void remove(int value) {
    int position = position(value);
    if (position >= 0) {
      removeAt(position);
    }
  }

  void clear() {
    size = 0;
  }
}
