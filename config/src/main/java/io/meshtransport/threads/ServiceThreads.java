// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.threads;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Daemon threads that are there while there are tasks, and for a second after the last. Where the
 * system has no thread left, the caller runs its task itself. Any thread may call it; tasks must
 * not throw.
 */
public final class ServiceThreads implements Executor {
  private static final long IDLE_MS = 1_000;

  private final ThreadPoolExecutor pool;

  /**
   * @param name of each thread
   * @param max how many tasks run at once; more wait for a thread
   */
  public ServiceThreads(String name, int max) {
    pool =
        new ThreadPoolExecutor(
            max,
            max,
            IDLE_MS,
            TimeUnit.MILLISECONDS,
            new LinkedBlockingQueue<>(),
            task -> {
              Thread thread = new Thread(task, name);
              thread.setDaemon(true);
              return thread;
            });
    pool.allowCoreThreadTimeOut(true);
  }

  @Override
  public void execute(Runnable task) {
    try {
      pool.execute(task);
    } catch (RejectedExecutionException | OutOfMemoryError e) {
      // No thread to be had, and the task was not queued.
      task.run();
    }
  }
}
