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
final class MeshRoundTrips {
  /**
   * Slots of each end. A slot is received into again when the group posted last has completed; the
   * message that was sent from it is then 48 messages old. A channel requests a completion more
   * often than that.
   */
  static final int PLACES = 64;

  private static final int GROUPS = 2;

  private final Workload workload;
  private final int groupSize;

  /**
   * @param groupSize receives that are announced as one
   */
  MeshRoundTrips(Workload workload, int groupSize) {
    this.workload = workload;
    this.groupSize = groupSize;
  }

  Measurement lead(
      MeshSends sends, ReceiveChannel channel, RegisteredMemory incoming, StopWatch watch)
      throws TransportException {
    int bytes = workload.messageBytes();
    Stamps pings = new Stamps(sends.bytes(), PLACES, bytes, PLACES).fill();
    Stamps pongs = new Stamps(incoming.segments().get(0), PLACES, bytes, PLACES);
    MeshReceives receives = receives(channel, incoming, pongs);
    receives.fill();
    long count = 0;
    long now = System.nanoTime();
    while (watch.goesOn(now, count)) {
      sends.free(count);
      pings.stamp(count);
      sends.launch(count, pings.offset(count), bytes);
      if (pongs.isEnd(count, receives.await(count, workload.waiting()))) {
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
    long left = MeshReceives.left(count, groupSize, GROUPS);
    for (long end = count; end < count + left; end++) {
      sends.free(end);
      pings.stampEnd(end);
      sends.launch(end, pings.offset(end), Stamps.BYTES);
    }
    finish(sends, receives, count);
    return watch.measurement(now, count, pongs.checked());
  }

  Measurement follow(MeshSends sends, ReceiveChannel channel, RegisteredMemory incoming)
      throws TransportException {
    int bytes = workload.messageBytes();
    Stamps pings = new Stamps(incoming.segments().get(0), PLACES, bytes, PLACES);
    MeshReceives receives = receives(channel, incoming, pings);
    receives.fill();
    long count = 0;
    while (!pings.isEnd(count, receives.await(count, workload.waiting()))) {
      sends.launch(count, pings.offset(count), bytes);
      if (receives.isLast(count)) {
        receives.awaitGroup(count, workload.waiting());
        // Its places are also where answers of an earlier lap left from.
        for (long next = receives.posted(); next < receives.posted() + groupSize; next++) {
          sends.free(next);
        }
        receives.postGroup();
      }
      count++;
    }
    long left = MeshReceives.left(count, groupSize, GROUPS);
    for (long end = count; end < count + left; end++) {
      receives.await(end, workload.waiting());
      sends.launch(end, pings.offset(end), Stamps.BYTES);
    }
    finish(sends, receives, count);
    return Measurement.following(count, pings.checked());
  }

  private MeshReceives receives(ReceiveChannel channel, RegisteredMemory memory, Stamps stamps) {
    return new MeshReceives(channel, memory, stamps, workload.messageBytes(), groupSize, GROUPS);
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
