// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.message;

import io.meshtransport.transport.channel.SlotFifo;
import io.meshtransport.transport.channel.TableGrowth;
import java.util.Arrays;

/**
 * Requests whose receives are to be announced, in order. Each announcement takes a receive of the
 * sender's, which is there again before a message for any of its receives leaves. So this end knows
 * how many are left, and defers announcements while there is none. Confined to the channel's lock;
 * allocates nothing but for slots above those used so far.
 */
final class AnnouncementQueue {
  private final int requests;

  /** Announcements at once that the peer has receives for. */
  private int limit;

  /** Announcements so far, and those of them of which a message proves that they were read. */
  private long announced;

  private long read;

  /** Of each request, the number of its announcement. */
  private long[] announcedAs = new long[TableGrowth.FIRST];

  private final SlotFifo deferred = new SlotFifo();

  /**
   * @param requests outstanding at once
   * @param limit announcements at once that the peer has receives for at first
   */
  AnnouncementQueue(int requests, int limit) {
    this.requests = requests;
    this.limit = limit;
  }

  void add(int slot) {
    if (slot >= announcedAs.length) {
      announcedAs = Arrays.copyOf(announcedAs, TableGrowth.toHold(slot));
    }
    deferred.add(slot);
  }

  /** Requests that are not announced yet. */
  int size() {
    return deferred.size();
  }

  /** Whether a request is not announced yet. */
  boolean isDeferred(int slot) {
    return deferred.size() > 0 && deferred.position(slot) >= 0;
  }

  /** Whether there is one that may be announced now. */
  boolean isDue() {
    return deferred.size() > 0 && announced - read < limit;
  }

  /** Removes the oldest, which is announced now. */
  int next() {
    int slot = deferred.removeAt(0);
    announcedAs[slot] = ++announced;
    return slot;
  }

  /** A message proves that the announcement of a request was read, and all before it. */
  void read(int slot) {
    read = Math.max(read, announcedAs[slot]);
  }

  /** The peer has receives for so many at once; returns false if it had as many before. */
  boolean raise(long newLimit) {
    boolean isRaised = newLimit > limit && newLimit <= requests;
    if (isRaised) {
      limit = (int) newLimit;
    }
    return isRaised;
  }

  /** Removes a request that is not announced yet; returns false if it is. */
  boolean remove(int slot) {
    int before = deferred.size();
    deferred.remove(slot);
    return deferred.size() < before;
  }

  void clear() {
    deferred.clear();
  }
}
