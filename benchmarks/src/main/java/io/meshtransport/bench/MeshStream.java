// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import io.meshtransport.spi.ReceiveChannel;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.TransportException;

/**
 * As many messages as possible in one direction. The receiver has twice as many receives as the
 * sender has messages in flight, so that no message waits for one. After the last message the
 * sender sends as many short ones as there are receives left, so that every receive completes. One
 * thread.
 */
final class MeshStream {
  private final Workload workload;
  private final int groupSize;
  private final int depth;

  /**
   * @param groupSize receives that are advertised as one
   */
  MeshStream(Workload workload, int groupSize) {
    this.workload = workload;
    this.groupSize = groupSize;
    this.depth = (2 * workload.window() + groupSize - 1) / groupSize * groupSize;
  }

  /** How many the receiver keeps, a multiple of its groups. */
  int depth() {
    return depth;
  }

  Measurement send(MeshSends sends, RunClock watch) throws TransportException {
    int slots = sends.slots();
    int bytes = workload.messageBytes();
    SequencedPayload payload =
        new SequencedPayload(sends.bytes(), slots, bytes, slots).writeBodies();
    long count = 0;
    while (watch.isRunning(System.nanoTime(), count)) {
      // The clock is read once a lap: with small messages it would be a part of what is measured.
      for (long end = count + slots; count < end; count++) {
        sends.awaitSlot(count);
        payload.writeSequence(count);
        sends.post(count, payload.offset(count), bytes);
      }
    }
    sends.drain();
    Measurement measured = watch.measurement(System.nanoTime(), count, 0);
    long left = MeshReceives.closingMessages(count, groupSize, depth / groupSize);
    for (long end = count; end < count + left; end++) {
      sends.awaitSlot(end);
      payload.writeEnd(end);
      sends.post(end, payload.offset(end), SequencedPayload.BYTES);
    }
    sends.drain();
    return measured;
  }

  Measurement receive(ReceiveChannel channel, RegisteredMemory memory) throws TransportException {
    int bytes = workload.messageBytes();
    SequencedPayload payload =
        new SequencedPayload(memory.segments().get(0), depth, bytes, workload.window());
    MeshReceives receives =
        new MeshReceives(channel, memory, payload, bytes, groupSize, depth / groupSize);
    receives.postAll();
    long first = 0;
    long count = 0;
    boolean ended = false;
    while (first < receives.posted()) {
      long[] lengths = receives.awaitGroup(first, workload.waiting());
      for (int i = 0; i < groupSize && !ended; i++) {
        ended = payload.verifyAndCheckEnd(first + i, lengths[i]);
        count += ended ? 0 : 1;
      }
      first += groupSize;
      if (!ended) {
        receives.postGroup();
      }
    }
    return Measurement.ofResponder(count, payload.verified());
  }
}
