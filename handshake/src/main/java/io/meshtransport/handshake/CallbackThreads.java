// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import io.netty.util.concurrent.FastThreadLocalThread;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * The threads on which callbacks run and futures complete, so that the event loop never waits for
 * verbs. They are started on demand and end after {@value #IDLE_MS} idle milliseconds. One instance
 * per {@link Handshaker}; any thread may submit.
 *
 * <p>The queue is never full: each half-open handshake and each connect has at most one callback
 * pending, and both are bounded.
 */
final class CallbackThreads implements Executor {
  /** Max callbacks that run at once. */
  static final int MAX_THREADS = 4;

  private static final int IDLE_MS = 5000;

  private final ThreadPoolExecutor pool;

  private final Consumer<Runnable> later;

  /**
   * @param maxCallbacks max callbacks that are queued
   * @param later runs a short task a little later, on any thread; may refuse once closed
   */
  CallbackThreads(int maxCallbacks, ThreadFactory threads, Consumer<Runnable> later) {
    this.later = later;
    pool =
        new ThreadPoolExecutor(
            MAX_THREADS,
            MAX_THREADS,
            IDLE_MS,
            TimeUnit.MILLISECONDS,
            new LinkedBlockingQueue<>(maxCallbacks),
            threads,
            // Only after close(): runs on the submitting thread, so that no callback is lost.
            (callback, full) -> callback.run());
    pool.allowCoreThreadTimeOut(true);
  }

  /**
   * If the system cannot start a thread, the callback waits until it can, or until {@link #close}.
   * It never runs on the submitting thread, which may be the event loop.
   */
  @Override
  public void execute(Runnable callback) {
    try {
      pool.execute(callback);
    } catch (OutOfMemoryError noThread) {
      // The pool starts its first threads before it queues, so the callback is not queued.
      pool.getQueue().add(callback);
      later.accept(this::startThread);
    }
  }

  private void startThread() {
    if (pool.getQueue().isEmpty()) {
      return;
    }
    try {
      pool.prestartCoreThread();
    } catch (OutOfMemoryError noThread) {
      later.accept(this::startThread);
    }
  }

  /** Waits for running callbacks, interrupts them after half the time; true if all have ended. */
  boolean close(int timeoutMs) {
    pool.shutdown();
    try {
      if (pool.awaitTermination(timeoutMs / 2, TimeUnit.MILLISECONDS)) {
        return true;
      }
      pool.shutdownNow().forEach(Runnable::run);
      return pool.awaitTermination(timeoutMs / 2, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      pool.shutdownNow().forEach(Runnable::run);
      return false;
    }
  }

  /** Makes daemons named {@code mesh-handshake-<n>} and records them. */
  static final class Threads implements ThreadFactory {
    private static final AtomicInteger NUMBERS = new AtomicInteger();

    private final Set<Thread> made = ConcurrentHashMap.newKeySet();

    @Override
    public Thread newThread(Runnable work) {
      // Callback threads start and end: remove those that ended.
      made.removeIf(thread -> thread.getState() == Thread.State.TERMINATED);
      Thread thread =
          new FastThreadLocalThread(work, "mesh-handshake-" + NUMBERS.getAndIncrement());
      thread.setDaemon(true);
      made.add(thread);
      return thread;
    }

    /** Whether the caller runs on a thread of this handshaker, and so must not wait for it. */
    boolean isOwnThread() {
      return made.contains(Thread.currentThread());
    }

    /** Waits until every thread made here has ended; false if the time passed first. */
    boolean join(int timeoutMs) throws InterruptedException {
      long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
      for (Thread thread : made) {
        long leftMs = TimeUnit.NANOSECONDS.toMillis(deadlineNs - System.nanoTime());
        // join(0) would wait for ever.
        thread.join(Math.max(1, leftMs));
      }
      return made.stream().noneMatch(Thread::isAlive);
    }
  }
}
