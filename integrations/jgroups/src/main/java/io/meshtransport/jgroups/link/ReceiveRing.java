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
 * Receives posted on a channel for messages of one tag, consumed in order and posted again for
 * ever. They are posted in groups, since a group costs one announcement to the peer, and there are
 * several groups, so that the peer still has receives while one is posted again. A ring grows from
 * its first group as the peer uses it: a peer that rarely sends costs neither the memory nor the
 * announcements of a busy one. One thread.
 *
 * <pre>
 *   | done,  done,  NEXT, posted | posted, ... | posted, ... |
 *   '--- the oldest group -------'
 * </pre>
 */
final class ReceiveRing {
  /** With fewer groups the peer would find no receive too often. */
  private static final int MIN_GROUPS = 4;

  /** Where the memory of the groups comes from. */
  interface Memory {
    /** Registered memory of this length, in one segment; its supplier closes it. */
    RegisteredMemory of(int lengthBytes) throws TransportException;
  }

  /** After so long without a message the oldest request is tested for a failure. */
  private static final long SILENCE_NS = 1_000_000_000L;

  private final ReceiveChannel channel;
  private final Memory memory;
  private final int receives;
  private final int bufferBytes;
  private final int groupReceives;
  private final long[] requests;

  /** The memory of each group that was posted before. */
  private final RegisteredMemory[] memories;

  private final int firstGroups;
  private final ReceiveGroup group = new ReceiveGroup();
  private final long[] lengthsBytes = new long[Transport.MAX_GROUP];
  private long consumedNs = System.nanoTime();
  private int oldest;
  private int arrived;
  private int next;

  /** Whether the oldest group's request is complete; then all of it has arrived. */
  private boolean isComplete;

  /** How many groups are in use, counted from the first. */
  private int used;

  /** How many of these are still to be consumed once the ring ends. */
  private int posted;

  private boolean isEnding;

  /**
   * @param memory called once for each group: here for the first ones, for others when they are
   *     first posted
   * @param receives 1 to {@link Transport#MAX_REQUESTS}
   * @param firstReceives how many of these are posted at first, at least; all of a smaller ring
   */
  ReceiveRing(
      ReceiveChannel channel, Memory memory, int receives, int firstReceives, int bufferBytes)
      throws TransportException {
    this.channel = channel;
    this.memory = memory;
    this.receives = receives;
    this.bufferBytes = bufferBytes;
    groupReceives = Math.max(1, Math.min(Transport.MAX_GROUP, receives / MIN_GROUPS));
    requests = new long[(receives + groupReceives - 1) / groupReceives];
    memories = new RegisteredMemory[requests.length];
    firstGroups = Math.min(requests.length, (firstReceives + groupReceives - 1) / groupReceives);
    for (int index = 0; index < firstGroups; index++) {
      memories[index] = memory.of(sizeOf(index) * bufferBytes);
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
   * Posts one more group when half of the first one is consumed, and all of them if all of it has
   * arrived by then. Only while that group is the oldest: groups are consumed in the order in which
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

  /** On a failed channel this is not a request; groups posted earlier may still have messages. */
  private void post(int index) {
    group.clear();
    for (int entry = 0; entry < sizeOf(index); entry++) {
      group.add(memories[index], (long) entry * bufferBytes, bufferBytes, BundleHeader.TAG);
    }
    requests[index] = channel.irecv(group, ReceiveChannel.NO_DEADLINE);
  }

  /** Posts nothing again: once all that is posted is consumed, the ring {@link #isExhausted}. */
  void end() {
    isEnding = true;
  }

  /** Whether the ring has ended, and every posted receive has been consumed. */
  boolean isExhausted() throws TransportException {
    return isEnding && (posted == 0 || !hasNext() && posted == 0);
  }

  /**
   * Waits for the next message.
   *
   * @return whether there is one; if not, the time passed or the thread was interrupted
   * @throws TransportException if the channel or a receive has failed, once every message before
   *     that has been consumed
   */
  boolean awaitNext(Duration max) throws TransportException {
    long seen = channel.progressCount();
    if (hasNext()) {
      return true;
    }
    if (channel.state() == ChannelState.READY) {
      channel.awaitProgress(seen, max);
      if (hasNext()) {
        return true;
      }
    }
    // The channel may have failed, or a message was longer than its receive: then none follows it.
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

  /**
   * Whether the oldest request is complete: tested only when nothing of it may be left to arrive.
   */
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

  /** The next message, valid until it is {@link #consumed}. */
  ByteBuffer message() {
    return memories[oldest].segments().get(0).slice(next * bufferBytes, (int) lengthsBytes[next]);
  }

  /** The next message has been read. */
  void consumed() throws TransportException {
    next++;
    consumedNs = System.nanoTime();
    grow();
  }
}
