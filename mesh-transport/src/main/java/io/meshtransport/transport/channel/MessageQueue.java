// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.channel;

import io.meshtransport.spi.Completions;
import io.meshtransport.spi.Connection;
import io.meshtransport.spi.MultiReceive;
import java.util.Arrays;

/**
 * Messages of {@link MultiReceive}s that a poller has not reported, oldest first. There are never
 * more than the receives that may be posted. Confined to the channel's lock; allocates nothing but
 * for more than there ever were.
 */
public final class MessageQueue {
  private static final int FIRST = 16;

  /** The length of each ring is a power of two. */
  private int[] slots = {};

  private long[] offsetsBytes = {};
  private long[] lengthsBytes = {};
  private int head;
  private int size;

  /** Adds one to the request in a slot, which ends behind it. */
  void add(int slot, long offsetBytes, long lengthBytes) {
    if (size == slots.length) {
      grow();
    }
    int at = head + size++ & slots.length - 1;
    slots[at] = slot;
    offsetsBytes[at] = offsetBytes;
    lengthsBytes[at] = lengthBytes;
  }

  private void grow() {
    int length = Math.max(FIRST, 2 * size);
    slots = Arrays.copyOf(turned(slots), length);
    offsetsBytes = Arrays.copyOf(turned(offsetsBytes), length);
    lengthsBytes = Arrays.copyOf(turned(lengthsBytes), length);
    head = 0;
  }

  /** A full ring, with its oldest first. */
  private int[] turned(int[] ring) {
    int[] turned = new int[size];
    for (int i = 0; i < size; i++) {
      turned[i] = ring[head + i & ring.length - 1];
    }
    return turned;
  }

  private long[] turned(long[] ring) {
    long[] turned = new long[size];
    for (int i = 0; i < size; i++) {
      turned[i] = ring[head + i & ring.length - 1];
    }
    return turned;
  }

  /** Moves the oldest, which there is, to a table that has space. */
  public void pollInto(Completions into, Connection connection, Requests requests) {
    int slot = slots[head];
    into.addMessage(
        connection,
        requests.userData(slot),
        requests.number(slot),
        offsetsBytes[head],
        lengthsBytes[head]);
    head = head + 1 & slots.length - 1;
    size--;
  }

  /** Nobody reports them any more. */
  void clear() {
    size = 0;
  }
}
