// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import io.meshtransport.spi.ReceiveChannel;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.TransportException;

/**
 * One message there and back, again and again. Receives are posted ahead, in groups, and the next
 * group between an answer and the message after it, so no message waits for a receive. Successive
 * messages are sent from different slots, so none waits for the completion of the one before it.
 * After the last round trip each end sends as many short messages as the peer has receives left, so
 * that every receive completes. One thread.
 */
final class MeshPingPong {
  /**
   * Slots of each end. A slot is received into again when the group posted last has completed; the
   * message that was sent from it is then 48 messages old. A channel requests a completion more
   * often than that.
   */
  static final int SLOTS = 64;

  private static final int GROUPS = 2;

  private final Workload workload;
  private final int groupSize;

  /**
   * @param groupSize receives that are announced as one
   */
  MeshPingPong(Workload workload, int groupSize) {
    this.workload = workload;
    this.groupSize = groupSize;
  }

  Measurement initiate(
      MeshSends sends, ReceiveChannel channel, RegisteredMemory incoming, RunClock watch)
      throws TransportException {
    int bytes = workload.messageBytes();
    SequencedPayload pings = new SequencedPayload(sends.bytes(), SLOTS, bytes, SLOTS).writeBodies();
    SequencedPayload pongs = new SequencedPayload(incoming.segments().get(0), SLOTS, bytes, SLOTS);
    MeshReceives receives = receives(channel, incoming, pongs);
    receives.postAll();
    long count = 0;
    long now = System.nanoTime();
    while (watch.isRunning(now, count)) {
      sends.awaitSlot(count);
      pings.writeSequence(count);
      sends.postAndFlush(count, pings.offset(count), bytes);
      if (pongs.verifyAndCheckEnd(count, receives.await(count, workload.waiting()))) {
        throw new IllegalStateException("round trip " + count + " ended the run from afar");
      }
      if (receives.isLast(count)) {
        receives.awaitGroup(count, workload.waiting());
        receives.postGroup();
      }
      long begin = now;
      now = System.nanoTime();
      watch.record(now - begin);
      count++;
    }
    long left = MeshReceives.closingMessages(count, groupSize, GROUPS);
    for (long end = count; end < count + left; end++) {
      sends.awaitSlot(end);
      pings.writeEnd(end);
      sends.postAndFlush(end, pings.offset(end), SequencedPayload.BYTES);
    }
    finish(sends, receives, count);
    return watch.measurement(now, count, pongs.verified());
  }

  Measurement respond(MeshSends sends, ReceiveChannel channel, RegisteredMemory incoming)
      throws TransportException {
    int bytes = workload.messageBytes();
    SequencedPayload pings = new SequencedPayload(incoming.segments().get(0), SLOTS, bytes, SLOTS);
    MeshReceives receives = receives(channel, incoming, pings);
    receives.postAll();
    long count = 0;
    while (!pings.verifyAndCheckEnd(count, receives.await(count, workload.waiting()))) {
      sends.postAndFlush(count, pings.offset(count), bytes);
      if (receives.isLast(count)) {
        receives.awaitGroup(count, workload.waiting());
        // Its slots are also where answers of an earlier lap left from.
        for (long next = receives.posted(); next < receives.posted() + groupSize; next++) {
          sends.awaitSlot(next);
        }
        receives.postGroup();
      }
      count++;
    }
    long left = MeshReceives.closingMessages(count, groupSize, GROUPS);
    for (long end = count; end < count + left; end++) {
      receives.await(end, workload.waiting());
      sends.postAndFlush(end, pings.offset(end), SequencedPayload.BYTES);
    }
    finish(sends, receives, count);
    return Measurement.ofResponder(count, pings.verified());
  }

  private MeshReceives receives(
      ReceiveChannel channel, RegisteredMemory memory, SequencedPayload payload) {
    return new MeshReceives(channel, memory, payload, workload.messageBytes(), groupSize, GROUPS);
  }

  /** Waits until no request is left, so that the memories may go and the channels be used again. */
  private void finish(MeshSends sends, MeshReceives receives, long count)
      throws TransportException {
    for (long first = count - count % groupSize; first < receives.posted(); first += groupSize) {
      receives.awaitGroup(first, workload.waiting());
    }
    sends.drain();
  }
}
