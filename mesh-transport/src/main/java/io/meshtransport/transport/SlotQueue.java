package io.meshtransport.transport;

import java.util.Arrays;

/**
 * Small numbers in order of arrival; its room grows with the most it ever held. Removal from the
 * middle keeps the order. Confined to the channel's lock.
 */
final class SlotQueue {
  private int[] values = new int[Slots.FIRST];
  private int size;

  int size() {
    return size;
  }

  int get(int position) {
    return values[position];
  }

  void add(int value) {
    if (size == values.length) {
      values = Arrays.copyOf(values, 8 * size);
    }
    values[size++] = value;
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
    for (int position = 0; position < size; position++) {
      if (values[position] == value) {
        removeAt(position);
        return;
      }
    }
  }

  void clear() {
    size = 0;
  }
}
