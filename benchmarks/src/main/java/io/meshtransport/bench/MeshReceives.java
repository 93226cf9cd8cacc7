// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import io.meshtransport.spi.ReceiveChannel;
import io.meshtransport.spi.ReceiveGroup;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.TransportException;

/**
 * Receives that are posted ahead, in groups that are announced as one, each message into another
 * slot of one memory. One thread.
 */
final class MeshReceives {
  /** All messages have the same tag. */
  static final int TAG = 0;

  private final ReceiveChannel channel;
  private final RegisteredMemory memory;
  private final SequencedPayload payload;
  private final int messageBytes;
  private final int groupSize;
  private final ReceiveGroup group = new ReceiveGroup();
  private final long[] requests;
  private final long[] lengths;
  private long posted;

  /**
   * @param payload of the slots they go to, at least as many as receives
   * @param groupSize 1 to {@link io.meshtransport.spi.Transport#MAX_GROUP}
   * @param groups posted at once
   */
  MeshReceives(
      ReceiveChannel channel,
      RegisteredMemory memory,
      SequencedPayload payload,
      int messageBytes,
      int groupSize,
      int groups) {
    this.channel = channel;
    this.memory = memory;
    this.payload = payload;
    this.messageBytes = messageBytes;
    this.groupSize = groupSize;
    this.requests = new long[groups];
    this.lengths = new long[groupSize];
  }

  /** Posts all groups. */
  void postAll() throws TransportException {
    for (int i = 0; i < requests.length; i++) {
      postGroup();
    }
  }

  /**
   * How many short messages must come after those that count, so that every receive ends.
   *
   * @param count messages that count
   */
  static long closingMessages(long count, int groupSize, int groups) {
    return (long) groups * groupSize - count % groupSize;
  }

  /** How many have been posted. */
  long posted() {
    return posted;
  }

  /** Posts the group of the next slots, which must be free, in slot of one that is over. */
  void postGroup() throws TransportException {
    group.clear();
    for (int i = 0; i < groupSize; i++) {
      payload.clearIfVerified(posted + i);
      group.add(memory, payload.offset(posted + i), messageBytes, TAG);
    }
    requests[slot(posted)] =
        RequestWaits.requirePosted(channel, channel.irecv(group, ReceiveChannel.NO_DEADLINE));
    posted += groupSize;
  }

  /** Waits for a message alone, though its group may not be full, and returns its length. */
  long await(long sequence, Workload.Waiting waiting) throws TransportException {
    int index = (int) (sequence % groupSize);
    RequestWaits.awaitArrival(channel, requests[slot(sequence)], index, lengths, waiting);
    return lengths[index];
  }

  /**
   * Waits for the whole group of a message; it is over then.
   *
   * @return the length of each, valid until the next wait
   */
  long[] awaitGroup(long sequence, Workload.Waiting waiting) throws TransportException {
    RequestWaits.await(channel, requests[slot(sequence)], lengths, waiting);
    return lengths;
  }

  /** Whether a message is the last of its group. */
  boolean isLast(long sequence) {
    return sequence % groupSize == groupSize - 1;
  }

  private int slot(long sequence) {
    return (int) (sequence / groupSize % requests.length);
  }
}
