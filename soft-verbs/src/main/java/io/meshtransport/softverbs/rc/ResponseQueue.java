// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.rc;

import io.meshtransport.softverbs.frame.FrameHeader;
import io.meshtransport.softverbs.frame.FrameType;
import io.meshtransport.verbs.Access;

/**
 * The responses to reads and atomics that a responder owes, oldest first; as many as the queue pair
 * serves at once. Guarded by the device's lock.
 */
final class ResponseQueue {
  private final boolean[] areAtomic;
  private final int[] sequences;
  private final int[] remoteKeys;
  private final long[] addressesOrValues;
  private final int[] lengths;
  private int first;
  private int count;

  /** How much of the first response has been sent. */
  private int offset;

  ResponseQueue(int capacity) {
    areAtomic = new boolean[capacity];
    sequences = new int[capacity];
    remoteKeys = new int[capacity];
    addressesOrValues = new long[capacity];
    lengths = new int[capacity];
  }

  boolean isEmpty() {
    return count == 0;
  }

  boolean isFull() {
    return count == sequences.length;
  }

  void clear() {
    count = 0;
    offset = 0;
  }

  void addRead(FrameHeader request) {
    add(request, false, request.remoteAddress, request.messageBytes);
  }

  void addAtomic(FrameHeader request, long found) {
    add(request, true, found, 0);
  }

  private void add(FrameHeader request, boolean isAtomic, long addressOrValue, int lengthBytes) {
    int at = (first + count++) % sequences.length;
    areAtomic[at] = isAtomic;
    sequences[at] = request.sequence;
    remoteKeys[at] = request.remoteKey;
    addressesOrValues[at] = addressOrValue;
    lengths[at] = lengthBytes;
  }

  /** Fills in the next frame of the first response. */
  void fill(FrameHeader header) {
    if (areAtomic[first]) {
      header.set(FrameType.ATOMIC_RESPONSE, sequences[first]).remoteAddress =
          addressesOrValues[first];
      return;
    }
    header.set(FrameType.READ_RESPONSE, sequences[first]);
    header.messageBytes = lengths[first];
    header.offset = offset;
    header.payloadBytes = Math.min(header.maxPayloadBytes, lengths[first] - offset);
  }

  /** The memory of the first response, or null if it may not be read any more. */
  SoftMemoryRegion region(RcEngine engine) {
    return engine
        .keys()
        .findRemote(
            remoteKeys[first],
            engine.domain(),
            addressesOrValues[first],
            lengths[first],
            Access.REMOTE_READ);
  }

  /** The address of the next byte to send. */
  long address() {
    return addressesOrValues[first] + offset;
  }

  /** That frame was passed on. */
  void advance(FrameHeader frame) {
    offset += frame.payloadBytes;
    if (frame.isLast()) {
      offset = 0;
      first = (first + 1) % sequences.length;
      count--;
    }
  }
}
