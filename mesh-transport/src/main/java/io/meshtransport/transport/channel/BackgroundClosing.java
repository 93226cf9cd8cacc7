// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.channel;

import io.meshtransport.threads.ServiceThreads;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.LockSupport;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * Ends channels whose programs do not wait for it: {@code mesh-close} waits for the peers of all of
 * them side by side, and {@code mesh-close-end} ends each, a few at once, since a driver may keep
 * its caller. For all transports of the process. Any thread may call it.
 */
final class BackgroundClosing {
  static final BackgroundClosing OF_THIS_PROCESS = new BackgroundClosing();

  private static final Logger LOG = LogManager.getLogger(BackgroundClosing.class);
  private static final int ENDING_THREADS = 4;

  private record Closing(MeshChannel channel, long startNs) {}

  private final Queue<Closing> arrivals = new ConcurrentLinkedQueue<>();
  private final Executor polling = new ServiceThreads("mesh-close", 1);
  private final Executor ending = new ServiceThreads("mesh-close-end", ENDING_THREADS);

  private BackgroundClosing() {}

  /** Ends a channel that has begun to close, once the peer has acknowledged that or time is up. */
  void add(MeshChannel channel) {
    arrivals.add(new Closing(channel, System.nanoTime()));
    polling.execute(this::awaitAll);
  }

  private void awaitAll() {
    List<Closing> waiting = new ArrayList<>();
    while (true) {
      for (Closing each = arrivals.poll(); each != null; each = arrivals.poll()) {
        waiting.add(each);
      }
      waiting.removeIf(this::endIfOver);
      if (waiting.isEmpty()) {
        return;
      }
      LockSupport.parkNanos(this, ChannelClosing.GOODBYE_POLL_NS);
    }
  }

  private boolean endIfOver(Closing closing) {
    boolean awaits = false;
    try {
      awaits = ChannelClosing.awaitsGoodbye(closing.channel().core, closing.startNs());
    } catch (RuntimeException | Error e) {
      report(closing, e);
    }
    if (!awaits) {
      ending.execute(() -> end(closing));
    }
    return !awaits;
  }

  private static void end(Closing closing) {
    try {
      ChannelClosing.finish(closing.channel());
    } catch (RuntimeException | Error e) {
      report(closing, e);
    }
  }

  private static void report(Closing closing, Throwable failure) {
    LOG.error("{}: internal error while it was closed", closing.channel(), failure);
  }
}
