// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.channel;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * {@code mesh-close}, the thread that ends channels whose programs do not wait for it, side by
 * side: one for all transports of the process, while there are any to close. Any thread may call
 * it.
 */
final class BackgroundClosing {
  static final BackgroundClosing OF_THIS_PROCESS = new BackgroundClosing();

  private static final Logger LOG = LogManager.getLogger(BackgroundClosing.class);

  /** The thread ends when it had nothing to do for so long. */
  private static final long IDLE_S = 1;

  private record Closing(MeshChannel channel, long startNs) {}

  private final Queue<Closing> arrivals = new ConcurrentLinkedQueue<>();

  /** Confined to the thread. */
  private final List<Closing> waiting = new ArrayList<>();

  private final ThreadPoolExecutor thread =
      new ThreadPoolExecutor(
          1,
          1,
          IDLE_S,
          TimeUnit.SECONDS,
          new LinkedBlockingQueue<>(),
          task -> {
            Thread made = new Thread(task, "mesh-close");
            made.setDaemon(true);
            return made;
          });

  private BackgroundClosing() {
    thread.allowCoreThreadTimeOut(true);
  }

  /** Ends a channel that has begun to close, once the peer has acknowledged that or time is up. */
  void add(MeshChannel channel) {
    arrivals.add(new Closing(channel, System.nanoTime()));
    thread.execute(this::endAll);
  }

  /** Runs what depends on the end of a channel. */
  void execute(Runnable task) {
    thread.execute(task);
  }

  private void endAll() {
    while (true) {
      for (Closing each = arrivals.poll(); each != null; each = arrivals.poll()) {
        waiting.add(each);
      }
      for (Iterator<Closing> each = waiting.iterator(); each.hasNext(); ) {
        if (isOver(each.next())) {
          each.remove();
        }
      }
      if (waiting.isEmpty()) {
        return;
      }
      LockSupport.parkNanos(this, ChannelClosing.GOODBYE_POLL_NS);
    }
  }

  /** Ends it if it is time. No failure ends the thread: the others are still to be closed. */
  private static boolean isOver(Closing closing) {
    try {
      if (ChannelClosing.awaitsGoodbye(closing.channel().core, closing.startNs())) {
        return false;
      }
      ChannelClosing.finish(closing.channel());
    } catch (RuntimeException | Error e) {
      LOG.error("{}: internal error while it was closed", closing.channel(), e);
    }
    return true;
  }
}
