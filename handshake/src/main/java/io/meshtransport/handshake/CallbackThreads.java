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
 * The threads on which the owner's callbacks run and futures complete, so that the event loop never
 * waits for verbs: a few, started on demand, gone after {@value #IDLE_MS} idle milliseconds. One
 * per {@link Handshaker}, any thread may hand in.
 *
 * <p>The queue needs no policy for being full: each half-open handshake and each connect has at
 * most one callback under way, and both are bounded.
 */
final class CallbackThreads implements Executor {
  /** So many callbacks may be slow at once before others wait for them. */
  static final int MAX_THREADS = 4;

  private static final int IDLE_MS = 5000;

  private final ThreadPoolExecutor pool;

  private final Consumer<Runnable> later;

  /**
   * @param maxCallbacks that wait at once
   * @param later runs a short task a little later, on whatever thread; it may refuse once closed
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
            // Only after close(): a straggler runs where it is, so that no callback is lost.
            (callback, full) -> callback.run());
    pool.allowCoreThreadTimeOut(true);
  }

  /**
   * Where the system has no thread to give, the callback waits until it has, or until {@link
   * #close}: it never runs on the caller's thread, which may be the event loop.
   */
  @Override
  public void execute(Runnable callback) {
    try {
      pool.execute(callback);
    } catch (OutOfMemoryError noThread) {
      // The pool starts its first threads before it queues, so it has not taken the callback.
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

  /** Lets running callbacks end, interrupts them at half the time. Whether all have ended. */
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

  /** Daemons named {@code mesh-handshake-<n>}; remembers which threads are its own. */
  static final class Threads implements ThreadFactory {
    private static final AtomicInteger NUMBERS = new AtomicInteger();

    private final Set<Thread> made = ConcurrentHashMap.newKeySet();

    @Override
    public Thread newThread(Runnable work) {
      // Callback threads come and go: forget those that went.
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

    /** Waits until every thread made here has ended; false if some outlive the time. */
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
