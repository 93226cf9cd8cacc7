// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * {@code mesh-setup}, the one thread of a transport that opens and closes endpoints outside of
 * handshakes. Any thread may call it.
 */
final class SetUpThread implements Executor, AutoCloseable {
  private static final Logger LOG = LogManager.getLogger(SetUpThread.class);

  private static final long ENDS_WITHIN_MS = 2_000;

  /** The thread, from its first work on. */
  private volatile Thread worker;

  private final ThreadPoolExecutor thread =
      new ThreadPoolExecutor(
          1,
          1,
          0,
          TimeUnit.SECONDS,
          new LinkedBlockingQueue<>(),
          this::named,
          // Only after close(): what comes late still closes what it holds, on its own thread.
          (late, full) -> late.run());

  private Thread named(Runnable work) {
    Thread named = new Thread(work, "mesh-setup");
    named.setDaemon(true);
    worker = named;
    return named;
  }

  /** Runs it behind what was given before; after {@link #close} on the caller's thread. */
  @Override
  public void execute(Runnable work) {
    thread.execute(work);
  }

  /**
   * Ends the thread once it has done what it was given; waits for that a bounded time, unless the
   * thread itself closes it: a program may close its transport from what it has attached to a
   * future.
   */
  @Override
  public void close() {
    thread.shutdown();
    if (Thread.currentThread() == worker) {
      return;
    }
    try {
      if (!thread.awaitTermination(ENDS_WITHIN_MS, TimeUnit.MILLISECONDS)) {
        LOG.warn("set-up did not end within {} ms", ENDS_WITHIN_MS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
