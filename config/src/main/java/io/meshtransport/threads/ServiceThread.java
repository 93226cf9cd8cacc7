// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.threads;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A daemon thread that does one duty turn after turn until {@link #end()}: no exception and no
 * Error, an OutOfMemoryError included, ends it. A turn that fails is reported ({@link
 * FailureReports}); the next begins after a pause, which doubles up to {@value #MAX_PAUSE_MS} ms
 * for as long as turn after turn fails. A turn should undo what it left half done before it throws:
 * what it worked on is the duty's business, the thread is this one's. An interrupt is for the turn
 * under way, or for the next one, and ends with it.
 *
 * <p>Any thread may call it; {@link #start()} once.
 */
public final class ServiceThread {
  /** One turn of the duty: it may wait, and must come back soon after {@link #end()}. */
  @FunctionalInterface
  public interface Turn {
    void run() throws Exception;
  }

  /** The longest pause after a failed turn. */
  static final long MAX_PAUSE_MS = 1000;

  private static final long FIRST_PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long MAX_PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(MAX_PAUSE_MS);

  private final Turn turn;
  private final FailureReports reports;
  private final Thread thread;
  private volatile boolean isEnding;

  /**
   * @param name of the thread, for thread dumps and reports
   * @param turn what it does again and again
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
   * @throws OutOfMemoryError if the host gives none; nothing has begun then
   */
  public void start() {
    thread.start();
  }

  /** It ends after the turn under way, which this does not interrupt, only unparks. */
  public void end() {
    isEnding = true;
    LockSupport.unpark(thread);
  }

  /** Whether it was told to end. */
  public boolean isEnding() {
    return isEnding;
  }

  /** To unpark, interrupt or recognise it. */
  public Thread thread() {
    return thread;
  }

  /** Waits until it has ended; an interrupt is kept for later. */
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
      // With it no wait of a later turn would wait. Before the look at isEnding, so that the
      // interrupt of one who has called end() either ends the loop here or is the next turn's.
      Thread.interrupted();
    }
  }

  private void pause(long pauseNs) {
    long endNs = System.nanoTime() + pauseNs;
    long leftNs = pauseNs;
    // Others unpark the thread for reasons of the duty's.
    while (!isEnding && leftNs > 0) {
      // An interrupt is the turn's, which has failed; parkNanos would not wait with it.
      Thread.interrupted();
      LockSupport.parkNanos(this, leftNs);
      leftNs = endNs - System.nanoTime();
    }
  }
}
