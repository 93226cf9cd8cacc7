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

  private final ThreadPoolExecutor thread =
      new ThreadPoolExecutor(
          1,
          1,
          0,
          TimeUnit.SECONDS,
          new LinkedBlockingQueue<>(),
          SetUpThread::named,
          // Only after close(): what comes late still closes what it holds, on its own thread.
          (late, full) -> late.run());

  private static Thread named(Runnable work) {
    Thread thread = new Thread(work, "mesh-setup");
    thread.setDaemon(true);
    return thread;
  }

  /** Runs it behind what was given before; after {@link #close} on the caller's thread. */
  @Override
  public void execute(Runnable work) {
    thread.execute(work);
  }

  /** Ends the thread once it has done what it was given; waits for that a bounded time. */
  @Override
  public void close() {
    thread.shutdown();
    try {
      if (!thread.awaitTermination(ENDS_WITHIN_MS, TimeUnit.MILLISECONDS)) {
        LOG.warn("set-up did not end within {} ms", ENDS_WITHIN_MS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
