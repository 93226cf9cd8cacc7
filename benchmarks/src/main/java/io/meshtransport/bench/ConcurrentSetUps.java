// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import io.meshtransport.spi.ChannelFuture;
import io.meshtransport.spi.Listener;
import io.meshtransport.spi.ReceiveChannel;
import io.meshtransport.spi.SendChannel;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** Opens many channels, some at once, and reports how long each took. Used once, by one thread. */
final class ConcurrentSetUps {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  /** Interval between two polls: the resolution of the reported set-up times. */
  private static final long POLL_NS = 50_000;

  private final Transport transport;
  private final List<SendChannel> out = new ArrayList<>();
  private final List<ReceiveChannel> in = new ArrayList<>();
  private final List<Long> setUpNanos = new ArrayList<>();

  /** A set-up that has begun, and when. */
  private record PendingSetUp(ChannelFuture<SendChannel> setUp, long begin) {}

  ConcurrentSetUps(Transport transport) {
    this.transport = transport;
  }

  /** Channels to peers, one for each handle. */
  List<SendChannel> out() {
    return out;
  }

  /** Channels from peers. */
  List<ReceiveChannel> in() {
    return in;
  }

  /**
   * Opens them all.
   *
   * @param listener for channels from peers
   * @param peers handles, one for each channel to a peer
   * @param accepts how many channels are accepted
   * @param atOnce max concurrent set-ups
   * @throws TransportException why one failed
   */
  ScaleEvent.Connected run(Listener listener, List<byte[]> peers, int accepts, int atOnce)
      throws TransportException {
    long begin = System.nanoTime();
    List<ChannelFuture<ReceiveChannel>> accepting = new ArrayList<>();
    for (int i = 0; i < accepts; i++) {
      accepting.add(listener.accept());
    }
    Deque<byte[]> handles = new ArrayDeque<>(peers);
    List<PendingSetUp> pending = new ArrayList<>();
    while (!handles.isEmpty() || !pending.isEmpty()) {
      while (!handles.isEmpty() && pending.size() < atOnce) {
        long now = System.nanoTime();
        pending.add(new PendingSetUp(transport.connect(handles.remove()), now));
      }
      LockSupport.parkNanos(POLL_NS);
      pollCompleted(pending);
      if (System.nanoTime() - begin > LIMIT.toNanos()) {
        throw new IllegalStateException("channels were still on their way after " + LIMIT);
      }
    }
    for (ChannelFuture<ReceiveChannel> each : accepting) {
      in.add(each.await(LIMIT));
    }
    return new ScaleEvent.Connected(System.nanoTime() - begin, setUpNanos);
  }

  private void pollCompleted(List<PendingSetUp> pending) throws TransportException {
    for (Iterator<PendingSetUp> all = pending.iterator(); all.hasNext(); ) {
      PendingSetUp each = all.next();
      if (each.setUp().isDone()) {
        all.remove();
        out.add(each.setUp().await(Duration.ZERO));
        setUpNanos.add(System.nanoTime() - each.begin());
      }
    }
  }
}
