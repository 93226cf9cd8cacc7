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
  private final int rooms;

  /**
   * @param groupSize receives that are advertised as one
   */
  MeshStream(Workload workload, int groupSize) {
    this.workload = workload;
    this.groupSize = groupSize;
    this.rooms = (2 * workload.window() + groupSize - 1) / groupSize * groupSize;
  }

  /** How many the receiver keeps, a multiple of its groups. */
  int rooms() {
    return rooms;
  }

  Measurement send(MeshSends sends, StopWatch watch) throws TransportException {
    int places = sends.places();
    int bytes = workload.messageBytes();
    Stamps stamps = new Stamps(sends.bytes(), places, bytes, places).fill();
    long count = 0;
    while (watch.goesOn(System.nanoTime(), count)) {
      // The clock is read once a lap: with small messages it would be a part of what is measured.
      for (long end = count + places; count < end; count++) {
        sends.free(count);
        stamps.stamp(count);
        sends.post(count, stamps.offset(count), bytes);
      }
    }
    sends.drain();
    Measurement measured = watch.measurement(System.nanoTime(), count, 0);
    long left = MeshReceives.left(count, groupSize, rooms / groupSize);
    for (long end = count; end < count + left; end++) {
      sends.free(end);
      stamps.stampEnd(end);
      sends.post(end, stamps.offset(end), Stamps.BYTES);
    }
    sends.drain();
    return measured;
  }

  Measurement receive(ReceiveChannel channel, RegisteredMemory memory) throws TransportException {
    int bytes = workload.messageBytes();
    Stamps stamps = new Stamps(memory.segments().get(0), rooms, bytes, workload.window());
    MeshReceives receives =
        new MeshReceives(channel, memory, stamps, bytes, groupSize, rooms / groupSize);
    receives.fill();
    long first = 0;
    long count = 0;
    boolean ended = false;
    while (first < receives.posted()) {
      long[] lengths = receives.awaitGroup(first, workload.waiting());
      for (int i = 0; i < groupSize && !ended; i++) {
        ended = stamps.isEnd(first + i, lengths[i]);
        count += ended ? 0 : 1;
      }
      first += groupSize;
      if (!ended) {
        receives.postGroup();
      }
    }
    return Measurement.following(count, stamps.checked());
  }
}
