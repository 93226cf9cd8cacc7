// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import java.util.Arrays;

/**
 * Messages that the peer has told of, in the order in which it told of them, until their bytes are
 * in memory. An acknowledged RDMA WRITE has been taken over by the device, no more: that its bytes
 * are in memory is promised by the completion, at the receiver, of a later request on the same
 * queue pair, or by the end of that queue pair. So each rail that carried a part of a message says
 * so by an immediate, and a message is there when it was told of and each of its rails has said so,
 * or is destroyed. Confined to the channel's lock; allocates nothing but for rooms above those used
 * so far.
 */
final class Placements {
  /** Result of {@link #nextWhole} if there is none. */
  static final int NONE = -1;

  private final SlotFifo notified = new SlotFifo();
  private long[] lengthsBytes = {};
  private long[] awaited = {};
  private long[] placed = {};

  /**
   * A rail has said that what it carried of the message for a room is in memory.
   *
   * @return false if it has said so before
   */
  boolean placed(int room, long rail) {
    growToHold(room);
    boolean isNews = (placed[room] & rail) == 0;
    placed[room] |= rail;
    return isNews;
  }

  /** Whether the message for a room was told of and is not there yet. */
  boolean isNotified(int room) {
    return notified.position(room) >= 0;
  }

  /**
   * A message was told of.
   *
   * @param lengthBytes whatever the caller wants to know again
   * @param rails bits of those that carried parts of it and say so by themselves
   */
  void notified(int room, long lengthBytes, long rails) {
    growToHold(room);
    notified.add(room);
    lengthsBytes[room] = lengthBytes;
    awaited[room] = rails;
  }

  private void growToHold(int room) {
    if (room >= placed.length) {
      int rooms = Integer.highestOneBit(Math.max(room, 8)) * 2;
      lengthsBytes = Arrays.copyOf(lengthsBytes, rooms);
      awaited = Arrays.copyOf(awaited, rooms);
      placed = Arrays.copyOf(placed, rooms);
    }
  }

  /** A rail is destroyed: whatever came over it is in memory, and it says nothing any more. */
  void destroyed(long rail) {
    for (int room = 0; room < placed.length; room++) {
      awaited[room] &= ~rail;
      placed[room] &= ~rail;
    }
  }

  /** Bits of rails that the oldest message waits for. */
  long missing() {
    return notified.size() == 0 ? 0 : awaited[notified.get(0)] & ~placed[notified.get(0)];
  }

  /** Takes out the oldest message if it is there: its room, or {@link #NONE}. */
  int nextWhole() {
    if (notified.size() == 0 || missing() != 0) {
      return NONE;
    }
    int room = notified.removeAt(0);
    placed[room] = 0;
    return room;
  }

  /** What was told of a room's message last. */
  long lengthBytes(int room) {
    return lengthsBytes[room];
  }
}
