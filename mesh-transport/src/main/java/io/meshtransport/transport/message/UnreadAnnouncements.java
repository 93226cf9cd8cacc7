// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.message;

import io.meshtransport.transport.channel.SlotFifo;
import io.meshtransport.transport.channel.SlotSet;

/**
 * Announcements of a multi-rail channel, in order, until a message for one of them proves that the
 * peer has read all before it: what it has not read when the primary is lost is sent again.
 * Confined to the channel's lock.
 */
final class UnreadAnnouncements {
  /** Slots of requests whose announcements are not proven to have been read, oldest first. */
  private final SlotFifo unread = new SlotFifo();

  /** Slots whose announcement has not been acknowledged by the peer's device. */
  private final SlotSet undelivered = new SlotSet();

  private long read;

  /** The announcement of a request is sent, or will be when there is a primary. */
  void sent(int slot) {
    unread.add(slot);
    undelivered.add(slot);
  }

  /** The peer's device has the announcement of a request. */
  void delivered(int slot) {
    undelivered.remove(slot);
  }

  boolean isDelivered(int slot) {
    return !undelivered.contains(slot);
  }

  /** A message proves that the announcement of a request was read, and all before it. */
  void provedBy(int slot) {
    removeOldest(unread.position(slot) + 1);
  }

  /**
   * The peer has read so many since the channel began.
   *
   * @return false if that cannot be
   */
  boolean readByPeer(long total) {
    long more = total - read;
    if (more < 0 || more > unread.size()) {
      return false;
    }
    removeOldest((int) more);
    return true;
  }

  private void removeOldest(int count) {
    for (int left = count; left > 0; left--) {
      unread.removeAt(0);
      read++;
    }
  }

  int size() {
    return unread.size();
  }

  /** Removes the oldest, which is sent again now, and returns its slot. */
  int removeFirst() {
    return unread.removeAt(0);
  }

  /**
   * The lowest slot, not below another, that was read though its delivery was not acknowledged; -1
   * if there is none.
   */
  int nextReadUndelivered(int from) {
    int slot = undelivered.next(from);
    while (slot >= 0 && unread.position(slot) >= 0) {
      slot = undelivered.next(slot + 1);
    }
    return slot;
  }
}
