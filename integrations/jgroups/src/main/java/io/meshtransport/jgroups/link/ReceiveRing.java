// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.link;

import io.meshtransport.spi.Channel;
import io.meshtransport.spi.ChannelState;
import io.meshtransport.spi.ReceiveChannel;
import io.meshtransport.spi.ReceiveGroup;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import java.nio.ByteBuffer;
import java.time.Duration;

/**
 * Receives posted on a channel for messages of one tag, taken in order and posted again for ever.
 * They are posted in groups, since a group costs one announcement to the peer, and there are
 * several groups, so that the peer still has receives while one is posted again. A ring grows from
 * its first group as the peer uses it: a peer that rarely sends costs neither the memory nor the
 * announcements of a busy one. One thread.
 *
 * <pre>
 *   | taken, taken, NEXT, posted | posted, ... | posted, ... |
 *   '--- the oldest group -------'
 * </pre>
 */
final class ReceiveRing {
  /** With fewer the peer would meet none too often. */
  private static final int MIN_GROUPS = 4;

  /** Where the memory of the groups comes from. */
  interface Memory {
    /** Registered memory of this length, in one segment; closed by whoever gives it. */
    RegisteredMemory of(int lengthBytes) throws TransportException;
  }

  /** After so long without a message it is asked whether the oldest request has failed. */
  private static final long SILENCE_NS = 1_000_000_000L;

  private final ReceiveChannel channel;
  private final Memory memory;
  private final int receives;
  private final int bufferBytes;
  private final int groupReceives;
  private final long[] requests;

  /** Of each group that was posted before. */
  private final RegisteredMemory[] memories;

  private final int firstGroups;
  private final ReceiveGroup group = new ReceiveGroup();
  private final long[] lengthsBytes = new long[Transport.MAX_GROUP];
  private long consumedNs = System.nanoTime();
  private int oldest;
  private int arrived;
  private int next;

  /** Whether the oldest group's request is over; then all of it has arrived. */
  private boolean isComplete;

  /** Groups in use: the first ones. */
  private int used;

  /** Of these, those that are still to be taken once it ends. */
  private int posted;

  private boolean isEnding;

  /**
   * @param memory asked once for each group: here for the first ones, for others when they are
   *     posted first
   * @param rooms 1 to {@link Transport#MAX_REQUESTS}
   * @param firstRooms of these are posted at first, at least; all of a smaller ring
   */
  ReceiveRing(ReceiveChannel channel, Memory memory, int rooms, int firstRooms, int roomBytes)
      throws TransportException {
    this.channel = channel;
    this.memory = memory;
    this.receives = rooms;
    this.bufferBytes = roomBytes;
    groupReceives = Math.max(1, Math.min(Transport.MAX_GROUP, rooms / MIN_GROUPS));
    requests = new long[(rooms + groupReceives - 1) / groupReceives];
    memories = new RegisteredMemory[requests.length];
    firstGroups = Math.min(requests.length, (firstRooms + groupReceives - 1) / groupReceives);
    for (int index = 0; index < firstGroups; index++) {
      memories[index] = memory.of(sizeOf(index) * roomBytes);
    }
  }

  /** Posts the first groups; more follow as the peer uses them. */
  void postFirst() throws TransportException {
    postUpTo(firstGroups);
  }

  private void postUpTo(int groups) throws TransportException {
    while (used < groups) {
      if (memories[used] == null) {
        memories[used] = memory.of(sizeOf(used) * bufferBytes);
      }
      post(used);
      if (requests[used] == Channel.FAILED) {
        throw channel.failure();
      }
      used++;
      posted++;
    }
  }

  /**
   * Posts one more group when half of the first one is taken, and all of them if all of it has
   * arrived by then. Only while that group is the oldest: groups are taken in the order in which
   * they were posted.
   */
  private void grow() throws TransportException {
    boolean isTime = oldest == 0 && next == (sizeOf(0) + 1) / 2 && used < requests.length;
    if (isTime && !isEnding && channel.state() == ChannelState.READY) {
      boolean isBurst = arrived == sizeOf(0);
      postUpTo(isBurst ? requests.length : used + 1);
    }
  }

  private int sizeOf(int index) {
    return Math.min(groupReceives, receives - index * groupReceives);
  }

  /** Where the channel has failed this is no request; later ones may still hold messages. */
  private void post(int index) {
    group.clear();
    for (int entry = 0; entry < sizeOf(index); entry++) {
      group.add(memories[index], (long) entry * bufferBytes, bufferBytes, BundleHeader.TAG);
    }
    requests[index] = channel.irecv(group, ReceiveChannel.NO_DEADLINE);
  }

  /** Posts no room again: what is posted so far is used up, and then it is {@link #isExhausted}. */
  void end() {
    isEnding = true;
  }

  /** Whether it has ended, and every room that was posted has been taken. */
  boolean isExhausted() throws TransportException {
    return isEnding && (posted == 0 || !hasNext() && posted == 0);
  }

  /**
   * Waits for the next message.
   *
   * @return whether there is one; if not, the time passed or the thread was interrupted
   * @throws TransportException if the channel or a receive has failed, once everything that came
   *     before has been taken
   */
  boolean awaitNext(Duration atMost) throws TransportException {
    long seen = channel.progressCount();
    if (hasNext()) {
      return true;
    }
    if (channel.state() == ChannelState.READY) {
      channel.awaitProgress(seen, atMost);
      if (hasNext()) {
        return true;
      }
    }
    // The channel may have failed, or a message was too long for its room: then none follows it.
    boolean isQuiet = System.nanoTime() - consumedNs >= SILENCE_NS;
    return (isQuiet || channel.state() != ChannelState.READY) && isComplete() && hasNext();
  }

  private boolean hasNext() throws TransportException {
    if (next == sizeOf(oldest) && isComplete()) {
      if (isEnding) {
        posted--;
        requests[oldest] = Channel.FAILED;
      } else {
        post(oldest);
      }
      oldest = (oldest + 1) % used;
      arrived = 0;
      next = 0;
      isComplete = false;
    }
    if (posted == 0) {
      return false;
    }
    if (next == arrived && !isComplete && requests[oldest] != Channel.FAILED) {
      arrived = channel.receivedSoFar(requests[oldest], lengthsBytes);
    }
    return next < arrived;
  }

  /** Whether the oldest request is over: asked only when nothing of it may be left to arrive. */
  private boolean isComplete() throws TransportException {
    if (!isComplete) {
      long request = requests[oldest];
      long outcome = request == Channel.FAILED ? request : channel.test(request, lengthsBytes);
      if (outcome == Channel.FAILED) {
        throw channel.failure();
      }
      isComplete = outcome != Channel.PENDING;
      arrived = isComplete ? sizeOf(oldest) : arrived;
    }
    return isComplete;
  }

  /** The next message, until it is {@link #consumed}. */
  ByteBuffer message() {
    return memories[oldest].segments().get(0).slice(next * bufferBytes, (int) lengthsBytes[next]);
  }

  /** It has been read. */
  void consumed() throws TransportException {
    next++;
    consumedNs = System.nanoTime();
    grow();
  }
}
