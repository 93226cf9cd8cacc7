// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.message;

import io.meshtransport.spi.MultiReceive;
import io.meshtransport.transport.channel.TableGrowth;
import java.util.Arrays;

/**
 * The multi-receives among the posted receives of a connection, by slot: how far each is filled,
 * and where its messages are. The sender counts in the same way ({@link AdvertisedReceives}), so
 * nothing but its slot goes with a message. Confined to the channel's lock; allocates nothing but
 * for slots above those used so far and for more messages than a slot ever had.
 */
final class MultiReceives {
  private static final int NONE = 0;
  private static final int NOT_WITHDRAWN = -1;

  private int[] limits = new int[TableGrowth.FIRST];
  private int[] counts = new int[TableGrowth.FIRST];
  private int[] withdrawnAfter = new int[TableGrowth.FIRST];
  private long[] offsetsBytes = new long[TableGrowth.FIRST];
  private long[] usedBytes = new long[TableGrowth.FIRST];
  private long[] spaceBytes = new long[TableGrowth.FIRST];
  private long[] longestBytes = new long[TableGrowth.FIRST];
  private long[][] lengthsBytes = new long[TableGrowth.FIRST][];

  void grow(int slots) {
    limits = Arrays.copyOf(limits, slots);
    counts = Arrays.copyOf(counts, slots);
    withdrawnAfter = Arrays.copyOf(withdrawnAfter, slots);
    offsetsBytes = Arrays.copyOf(offsetsBytes, slots);
    usedBytes = Arrays.copyOf(usedBytes, slots);
    spaceBytes = Arrays.copyOf(spaceBytes, slots);
    longestBytes = Arrays.copyOf(longestBytes, slots);
    lengthsBytes = Arrays.copyOf(lengthsBytes, slots);
  }

  /** A slot has a multi-receive now. */
  void begin(int slot, MultiReceive receive) {
    limits[slot] = receive.messages();
    counts[slot] = 0;
    withdrawnAfter[slot] = NOT_WITHDRAWN;
    offsetsBytes[slot] = receive.offsetBytes();
    usedBytes[slot] = 0;
    spaceBytes[slot] = receive.lengthBytes();
    longestBytes[slot] = receive.longestBytes();
    if (lengthsBytes[slot] == null || lengthsBytes[slot].length < receive.messages()) {
      lengthsBytes[slot] = new long[receive.messages()];
    }
  }

  /** A slot has a request of another kind now. */
  void clear(int slot) {
    limits[slot] = NONE;
  }

  /** Whether the request of a slot is a multi-receive. */
  boolean isOne(int slot) {
    return limits[slot] != NONE;
  }

  /** Most messages of a multi-receive. */
  int limit(int slot) {
    return limits[slot];
  }

  /** Messages that have come. */
  int count(int slot) {
    return counts[slot];
  }

  /** Messages that may yet come. */
  int left(int slot) {
    return limits[slot] - counts[slot];
  }

  long longestBytes(int slot) {
    return longestBytes[slot];
  }

  /** Notes a message; returns where it is in the receive's memory. */
  long arrived(int slot, long messageBytes) {
    long beginBytes = usedBytes[slot];
    lengthsBytes[slot][counts[slot]++] = messageBytes;
    usedBytes[slot] = MultiReceive.next(beginBytes, messageBytes);
    return offsetsBytes[slot] + beginBytes;
  }

  /** Whether the peer sends nothing more to it. */
  boolean isFull(int slot) {
    return AdvertisedReceives.isFull(
        left(slot), spaceBytes[slot] - usedBytes[slot], longestBytes[slot]);
  }

  /**
   * The peer takes no more messages for it than so many in all.
   *
   * @return whether a correct peer may say so
   */
  boolean withdraw(int slot, long messages) {
    boolean isPossible = messages >= counts[slot] && messages < limits[slot];
    if (isPossible) {
      withdrawnAfter[slot] = (int) messages;
    }
    return isPossible;
  }

  /** Whether it was withdrawn and has had its last message. */
  boolean isWithdrawn(int slot) {
    return withdrawnAfter[slot] == counts[slot];
  }

  long sumBytes(int slot) {
    long sum = 0;
    for (int i = 0; i < counts[slot]; i++) {
      sum += lengthsBytes[slot][i];
    }
    return sum;
  }

  /** Writes the lengths of the messages that have come. */
  void lengths(int slot, long[] into) {
    System.arraycopy(lengthsBytes[slot], 0, into, 0, counts[slot]);
  }
}
