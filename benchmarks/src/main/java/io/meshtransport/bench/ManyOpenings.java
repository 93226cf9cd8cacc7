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
final class ManyOpenings {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  /** Interval between two polls: the resolution of the reported set-up times. */
  private static final long LOOK_NS = 50_000;

  private final Transport transport;
  private final List<SendChannel> out = new ArrayList<>();
  private final List<ReceiveChannel> in = new ArrayList<>();
  private final List<Long> setUpNanos = new ArrayList<>();

  /** One opening that has begun, and when. */
  private record Under(ChannelFuture<SendChannel> opening, long begin) {}

  ManyOpenings(Transport transport) {
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
   * @throws TransportException why one failed
   */
  ScaleEvent.Connected run(Listener listener, ScaleCommand.Connect command)
      throws TransportException {
    long begin = System.nanoTime();
    List<ChannelFuture<ReceiveChannel>> accepting = new ArrayList<>();
    for (int i = 0; i < command.accepts(); i++) {
      accepting.add(listener.accept());
    }
    Deque<byte[]> handles = new ArrayDeque<>(command.handles());
    List<Under> under = new ArrayList<>();
    while (!handles.isEmpty() || !under.isEmpty()) {
      while (!handles.isEmpty() && under.size() < command.atOnce()) {
        long now = System.nanoTime();
        under.add(new Under(transport.connect(handles.remove()), now));
      }
      LockSupport.parkNanos(LOOK_NS);
      takeThoseDone(under);
      if (System.nanoTime() - begin > LIMIT.toNanos()) {
        throw new IllegalStateException("channels were still on their way after " + LIMIT);
      }
    }
    for (ChannelFuture<ReceiveChannel> each : accepting) {
      in.add(each.await(LIMIT));
    }
    return new ScaleEvent.Connected(System.nanoTime() - begin, setUpNanos);
  }

  private void takeThoseDone(List<Under> under) throws TransportException {
    for (Iterator<Under> all = under.iterator(); all.hasNext(); ) {
      Under each = all.next();
      if (each.opening().isDone()) {
        all.remove();
        out.add(each.opening().get());
        setUpNanos.add(System.nanoTime() - each.begin());
      }
    }
  }
}
