// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

import io.meshtransport.spi.TransportException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * A few tasks at the same time, each on a thread of its own, that end before this does. Each task
 * has deadlines of its own, so waiting for it has one too.
 */
final class Threads implements AutoCloseable {
  private final ExecutorService executor = Executors.newCachedThreadPool(Threads::daemon);
  private final List<Future<?>> tasks = new ArrayList<>();

  /** What runs. */
  interface Task {
    void run() throws TransportException;
  }

  private static Thread daemon(Runnable run) {
    Thread thread = new Thread(run, "node-workload");
    thread.setDaemon(true);
    return thread;
  }

  void start(Task task) {
    tasks.add(
        executor.submit(
            () -> {
              task.run();
              return null;
            }));
  }

  /** Waits for all; throws the first failure, in the order of starting. */
  void join() throws TransportException, InterruptedException {
    ExecutionException first = null;
    for (Future<?> task : tasks) {
      try {
        task.get();
      } catch (ExecutionException e) {
        first = first == null ? e : first;
      }
    }
    if (first != null && first.getCause() instanceof TransportException failure) {
      throw failure;
    }
    if (first != null) {
      throw new IllegalStateException(first.getCause().toString(), first.getCause());
    }
  }

  @Override
  public void close() {
    executor.shutdownNow();
  }
}
