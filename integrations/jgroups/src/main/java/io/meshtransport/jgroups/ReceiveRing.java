// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups;

import io.meshtransport.spi.Channel;
import io.meshtransport.spi.ChannelState;
import io.meshtransport.spi.ReceiveChannel;
import io.meshtransport.spi.ReceiveGroup;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import java.time.Duration;

/**
 * Rooms posted on a channel for messages of one tag, taken in order and posted again for ever. They
 * are posted in groups, since a group costs one announcement to the peer, and there are several
 * groups, so that the peer still has rooms while one is posted again. One thread.
 *
 * <pre>
 *   | taken, taken, NEXT, posted | posted, ... | posted, ... |
 *   '--- the oldest group -------'
 * </pre>
 */
final class ReceiveRing {
  /** With fewer the peer would meet none too often. */
  private static final int LEAST_GROUPS = 4;

  /** After so long without a message it is asked whether the oldest request has failed. */
  private static final long QUIET_NS = 1_000_000_000L;

  private final ReceiveChannel channel;
  private final RegisteredMemory memory;
  private final int rooms;
  private final int roomBytes;
  private final int groupRooms;
  private final long[] requests;
  private final ReceiveGroup group = new ReceiveGroup();
  private final long[] lengthsBytes = new long[Transport.MAX_GROUP];
  private long takenNs = System.nanoTime();
  private int oldest;
  private int arrived;
  private int next;

  /** Whether the oldest group's request is over; then all of it has arrived. */
  private boolean isOver;

  /** Groups posted; fewer and fewer once it ends. */
  private int posted;

  private boolean isEnding;

  /**
   * @param memory of rooms times roomBytes
   * @param rooms 1 to {@link Transport#MAX_REQUESTS}
   */
  ReceiveRing(ReceiveChannel channel, RegisteredMemory memory, int rooms, int roomBytes) {
    this.channel = channel;
    this.memory = memory;
    this.rooms = rooms;
    this.roomBytes = roomBytes;
    groupRooms = Math.max(1, Math.min(Transport.MAX_GROUP, rooms / LEAST_GROUPS));
    requests = new long[(rooms + groupRooms - 1) / groupRooms];
  }

  void postAll() throws TransportException {
    posted = requests.length;
    for (int index = 0; index < requests.length; index++) {
      post(index);
      if (requests[index] == Channel.FAILED) {
        throw channel.failure();
      }
    }
  }

  private int sizeOf(int index) {
    return Math.min(groupRooms, rooms - index * groupRooms);
  }

  /** Where the channel has failed this is no request; later ones may still hold messages. */
  private void post(int index) {
    group.clear();
    for (int entry = 0; entry < sizeOf(index); entry++) {
      long room = (long) index * groupRooms + entry;
      group.add(memory, room * roomBytes, roomBytes, BundleHeader.TAG);
    }
    requests[index] = channel.irecv(group, ReceiveChannel.NO_DEADLINE);
  }

  /** Posts no room again: what is posted so far is used up, and then it is {@link #isUsedUp}. */
  void end() {
    isEnding = true;
  }

  /** Whether it has ended, and every room that was posted has been taken. */
  boolean isUsedUp() throws TransportException {
    return isEnding && (posted == 0 || !isThere() && posted == 0);
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
    if (isThere()) {
      return true;
    }
    if (channel.state() == ChannelState.READY) {
      channel.awaitProgress(seen, atMost);
      if (isThere()) {
        return true;
      }
    }
    // The channel may have failed, or a message was too long for its room: then none follows it.
    boolean isQuiet = System.nanoTime() - takenNs >= QUIET_NS;
    return (isQuiet || channel.state() != ChannelState.READY) && isOver() && isThere();
  }

  private boolean isThere() throws TransportException {
    if (next == sizeOf(oldest) && isOver()) {
      if (isEnding) {
        posted--;
        requests[oldest] = Channel.FAILED;
      } else {
        post(oldest);
      }
      oldest = (oldest + 1) % requests.length;
      arrived = 0;
      next = 0;
      isOver = false;
    }
    if (posted == 0) {
      return false;
    }
    if (next == arrived && !isOver && requests[oldest] != Channel.FAILED) {
      arrived = channel.receivedSoFar(requests[oldest], lengthsBytes);
    }
    return next < arrived;
  }

  /** Whether the oldest request is over: asked only when nothing of it may be left to arrive. */
  private boolean isOver() throws TransportException {
    if (!isOver) {
      long request = requests[oldest];
      long outcome = request == Channel.FAILED ? request : channel.test(request, lengthsBytes);
      if (outcome == Channel.FAILED) {
        throw channel.failure();
      }
      isOver = outcome != Channel.PENDING;
      arrived = isOver ? sizeOf(oldest) : arrived;
    }
    return isOver;
  }

  /** Where the next message is in the memory. */
  int offsetBytes() {
    return (oldest * groupRooms + next) * roomBytes;
  }

  int lengthBytes() {
    return (int) lengthsBytes[next];
  }

  /** It has been read. */
  void taken() {
    next++;
    takenNs = System.nanoTime();
  }
}
