// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.rail;

import io.meshtransport.transport.channel.SlotFifo;
import java.util.Arrays;

/**
 * Messages that the peer has notified this end of, in the order of their notifications, until their
 * bytes are in memory. The device has accepted an acknowledged RDMA WRITE, no more: that its bytes
 * are in memory is promised by the completion, at the receiver, of a later request on the same
 * queue pair, or by the end of that queue pair. So each rail that carried a part of a message
 * reports by an immediate, and a message is there when its notification has come and each of its
 * rails has reported, or is destroyed. Confined to the channel's lock; allocates nothing but for
 * receives above those used so far.
 */
public final class Placements {
  /** Result of {@link #nextWhole} if there is none. */
  public static final int NONE = -1;

  private final SlotFifo notified = new SlotFifo();
  private long[] lengthsBytes = {};
  private long[] awaited = {};
  private long[] placed = {};

  /**
   * A rail has reported that what it carried of the message for a receive is in memory.
   *
   * @return false if it has reported it before
   */
  public boolean placed(int receive, long rail) {
    ensureCapacity(receive);
    boolean isNews = (placed[receive] & rail) == 0;
    placed[receive] |= rail;
    return isNews;
  }

  /** Whether the notification of the message for a receive has come and its bytes have not. */
  public boolean isNotified(int receive) {
    return notified.position(receive) >= 0;
  }

  /**
   * The notification of a message has come.
   *
   * @param lengthBytes whatever the caller wants to know again
   * @param rails bits of those that carried parts of it and report by themselves
   */
  public void notified(int receive, long lengthBytes, long rails) {
    ensureCapacity(receive);
    notified.add(receive);
    lengthsBytes[receive] = lengthBytes;
    awaited[receive] = rails;
  }

  private void ensureCapacity(int receive) {
    if (receive >= placed.length) {
      int receives = Integer.highestOneBit(Math.max(receive, 8)) * 2;
      lengthsBytes = Arrays.copyOf(lengthsBytes, receives);
      awaited = Arrays.copyOf(awaited, receives);
      placed = Arrays.copyOf(placed, receives);
    }
  }

  /** A rail is destroyed: whatever came over it is in memory, and it reports nothing any more. */
  public void destroyed(long rail) {
    for (int receive = 0; receive < placed.length; receive++) {
      awaited[receive] &= ~rail;
      placed[receive] &= ~rail;
    }
  }

  /** Bits of rails that the oldest message waits for. */
  public long missing() {
    return notified.size() == 0 ? 0 : awaited[notified.get(0)] & ~placed[notified.get(0)];
  }

  /** Removes the oldest message if its bytes are there; returns its receive, or {@link #NONE}. */
  public int nextWhole() {
    if (notified.size() == 0 || missing() != 0) {
      return NONE;
    }
    int receive = notified.removeAt(0);
    placed[receive] = 0;
    return receive;
  }

  /** The length in the latest notification for a receive. */
  public long lengthBytes(int receive) {
    return lengthsBytes[receive];
  }
}
