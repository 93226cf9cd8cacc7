// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.rc;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Threads that do something while another waits, without timing: they watch its state. */
final class Waiters {
  private static final long LONG_NS = 60_000_000_000L;

  private Waiters() {}

  private static void start(Runnable task) {
    Thread thread = new Thread(task, "elsewhere");
    thread.setDaemon(true);
    thread.start();
  }

  /** Something that happens on a thread of its own, once another thread is parked. */
  static final class Parked {
    private final CompletableFuture<Boolean> result;
    private volatile boolean isEnded;

    private Parked(Thread watched, Runnable then) {
      result = CompletableFuture.supplyAsync(() -> isParked(watched, then), Waiters::start);
    }

    private boolean isParked(Thread watched, Runnable then) {
      while (!isEnded) {
        if (watched.getState() == Thread.State.TIMED_WAITING) {
          then.run();
          return true;
        }
        Thread.yield();
      }
      return false;
    }

    /** Whether the thread was parked, and what was to happen has happened. */
    boolean end() {
      isEnded = true;
      return result.join();
    }
  }

  /** Does something when the thread is parked with a timeout. */
  static Parked onceParked(Thread watched, Runnable then) {
    return new Parked(watched, then);
  }

  /** Does something on another thread, and returns when it is done. */
  static void elsewhere(Runnable what) {
    CompletableFuture.runAsync(what, Waiters::start).join();
  }

  /** Parks until the condition holds, which another thread brings about once this one is parked. */
  static void parkUntil(Runnable cause, BooleanSupplier isOver) {
    Parked parked = onceParked(Thread.currentThread(), cause);
    while (!isOver.getAsBoolean()) {
      LockSupport.parkNanos(LONG_NS);
    }
    parked.result.join();
  }
}
