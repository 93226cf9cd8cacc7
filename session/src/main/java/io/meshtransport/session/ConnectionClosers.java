// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Threads that close connections, while there are some to close: closing waits for the peer's
 * answer, which the session's thread has no time for. Any thread may call it.
 */
final class ConnectionClosers {
  private static final int THREADS = 4;

  private final AtomicInteger closing = new AtomicInteger();
  private final ThreadPoolExecutor threads =
      new ThreadPoolExecutor(
          THREADS,
          THREADS,
          1,
          TimeUnit.SECONDS,
          new LinkedBlockingQueue<>(),
          task -> {
            Thread thread = new Thread(task, "mesh-session-close");
            thread.setDaemon(true);
            return thread;
          });

  ConnectionClosers() {
    threads.allowCoreThreadTimeOut(true);
  }

  /** Runs what closes one connection, soon. */
  void execute(Runnable close) {
    closing.incrementAndGet();
    boolean isBegun = false;
    try {
      threads.execute(() -> run(close));
      isBegun = true;
    } finally {
      if (!isBegun) {
        closing.decrementAndGet();
      }
    }
  }

  private void run(Runnable close) {
    try {
      close.run();
    } finally {
      closing.decrementAndGet();
    }
  }

  /**
   * Waits until all that were begun are closed.
   *
   * @return false if the time passed
   */
  boolean await(long timeoutNs) throws InterruptedException {
    long endNs = System.nanoTime() + timeoutNs;
    while (closing.get() > 0) {
      if (endNs - System.nanoTime() <= 0) {
        return false;
      }
      TimeUnit.MILLISECONDS.sleep(1);
    }
    return true;
  }
}
