package io.meshtransport.bench;

import io.meshtransport.spi.TransportException;

/**
 * One message there and back, again and again. Each receive is posted before the message that
 * provokes it leaves, so no message waits for room; each message leaves from another of some
 * places, so none waits to hear that the one before it is over. One thread.
 */
final class MeshRoundTrips {
  /** Twice as many as a channel sends before it asks whether they have arrived. */
  static final int PLACES = 32;

  private final Workload workload;
  private final MeshSends sends;
  private final MeshReceives receives;

  MeshRoundTrips(Workload workload, MeshSends sends, MeshReceives receives) {
    this.workload = workload;
    this.sends = sends;
    this.receives = receives;
  }

  Measurement lead(StopWatch watch) throws TransportException {
    int bytes = workload.messageBytes();
    Stamps pings = new Stamps(sends.bytes(), PLACES, bytes, PLACES).fill();
    Stamps pongs = new Stamps(receives.bytes(), PLACES, bytes, PLACES);
    long count = 0;
    long now = System.nanoTime();
    while (watch.goesOn(now, count)) {
      pongs.prepare(count);
      long pong = receives.post(pongs.offset(count), bytes);
      sends.free(count);
      pings.stamp(count);
      sends.launch(count, pings.offset(count), bytes);
      if (pongs.isEnd(count, receives.await(pong, workload.waiting()))) {
        throw new IllegalStateException("round trip " + count + " ended the run from afar");
      }
      long begin = now;
      now = System.nanoTime();
      watch.record(now - begin);
      count++;
    }
    sends.free(count);
    pings.stampEnd(count);
    sends.launch(count, pings.offset(count), bytes);
    sends.drain();
    return watch.measurement(now, count, pongs.checked());
  }

  Measurement follow() throws TransportException {
    int bytes = workload.messageBytes();
    Stamps pings = new Stamps(receives.bytes(), PLACES, bytes, PLACES);
    pings.prepare(0);
    long ping = receives.post(pings.offset(0), bytes);
    long count = 0;
    while (!pings.isEnd(count, receives.await(ping, workload.waiting()))) {
      // Its place is also where the answer of one lap ago left from.
      sends.free(count + 1);
      pings.prepare(count + 1);
      ping = receives.post(pings.offset(count + 1), bytes);
      sends.launch(count, pings.offset(count), bytes);
      count++;
    }
    sends.drain();
    return Measurement.following(count, pings.checked());
  }
}
