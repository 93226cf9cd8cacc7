// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.threads;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A daemon thread that repeats one turn of work until {@link #end()}. No exception and no Error
 * ends it, not even an OutOfMemoryError. A failed turn is reported ({@link FailureReports}); the
 * next begins after a pause, which doubles up to {@value #MAX_PAUSE_MS} ms while turns keep
 * failing. A turn must restore the state of its own work before it throws. An interrupt applies to
 * the current turn, or to the next one, and is cleared after it.
 *
 * <p>Any thread may call it; {@link #start()} once.
 */
public final class ServiceThread {
  /** One turn of work: may block, and must return soon after {@link #end()}. */
  @FunctionalInterface
  public interface Turn {
    void run() throws Exception;
  }

  /** Max pause after a failed turn, in milliseconds. */
  static final long MAX_PAUSE_MS = 1000;

  private static final long FIRST_PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long MAX_PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(MAX_PAUSE_MS);

  private final Turn turn;
  private final FailureReports reports;
  private final Thread thread;
  private volatile boolean isEnding;

  /**
   * @param name name of the thread, for thread dumps and reports
   * @param turn the work that it repeats
   * @param report gets the first failure of each kind; a logger's warning
   */
  public ServiceThread(String name, Turn turn, FailureReports.Report report) {
    this.turn = turn;
    this.reports = new FailureReports("thread " + name, report);
    this.thread = new Thread(this::run, name);
    thread.setDaemon(true);
  }

  /**
   * Starts the thread.
   *
   * @throws OutOfMemoryError if the system cannot start a thread; nothing has begun then
   */
  public void start() {
    thread.start();
  }

  /** Ends the thread after its current turn, which is unparked but not interrupted. */
  public void end() {
    isEnding = true;
    LockSupport.unpark(thread);
  }

  /** Whether {@link #end()} was called. */
  public boolean isEnding() {
    return isEnding;
  }

  /** The thread, to unpark, interrupt or recognize it. */
  public Thread thread() {
    return thread;
  }

  /** Waits until it has ended; an interrupt stays set for the caller. */
  public void awaitEnd() {
    boolean isInterrupted = false;
    while (thread.isAlive() && thread != Thread.currentThread()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        isInterrupted = true;
      }
    }
    if (isInterrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    long pauseNs = FIRST_PAUSE_NS;
    while (!isEnding) {
      try {
        turn.run();
        pauseNs = FIRST_PAUSE_NS;
      } catch (Throwable failure) {
        reports.add(failure);
        pause(pauseNs);
        pauseNs = Math.min(2 * pauseNs, MAX_PAUSE_NS);
      }
      // Cleared, or no wait of a later turn would block. Cleared before isEnding is read, so that
      // an interrupt after end() either finds the loop ended or belongs to the next turn.
      Thread.interrupted();
    }
  }

  private void pause(long pauseNs) {
    long endNs = System.nanoTime() + pauseNs;
    long leftNs = pauseNs;
    // Other threads unpark this one for reasons of its work.
    while (!isEnding && leftNs > 0) {
      // An interrupt belongs to the failed turn; with it parkNanos would return at once.
      Thread.interrupted();
      LockSupport.parkNanos(this, leftNs);
      leftNs = endNs - System.nanoTime();
    }
  }
}
