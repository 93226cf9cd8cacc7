// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session;

import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/**
 * How threads that wait for a peer's replies spend the first moments: where more of them wait than
 * there are processors, each polls its reply and yields in turns, and sleeps only then. To wake
 * each by itself costs the session's thread a system call and the processor a change of threads
 * that a yield makes anyway. Where as few or fewer wait they sleep at once, for then a thread that
 * polls only delays the session's thread.
 *
 * <p>Spins that do not pay stop: after one whose reply did not come in time, perhaps since its
 * thread lost its processor to one that computes, the next waits sleep at once, twice as many each
 * time (exponential backoff), and half as many once a spin has paid.
 *
 * <p>One per peer. Any thread may call it; threads may lose each other's updates, which makes a
 * backoff shorter or longer and nothing else. Allocates nothing.
 */
final class ReplySpin {
  /** The default of MESH_SPIN_US, which transports answer only where it was set. */
  static final int DEFAULT_SPIN_US = 50;

  /**
   * Longest spin, in times MESH_SPIN_US: a caller among many waits for the others' replies as well.
   * With eight on two processors 50 us gained half of what 200 us did, and 500 us no more
   * (docs/performance-notebook.md).
   */
  static final int SPINS = 4;

  static final int FIRST_SLEEPS = 8;
  static final int MAX_SLEEPS = 512;

  private final long maxNs;
  private final int processors;
  private final LongSupplier clockNs;
  private final Runnable yield;

  /** Threads inside a call. Futures of requests are not counted. */
  private final AtomicInteger callers = new AtomicInteger();

  /** How many waits sleep after the next spin that does not pay, but for the factor of two. */
  private volatile int sleeps;

  /** How many of the next waits sleep. */
  private volatile int sleepsLeft;

  /**
   * @param maxNs longest spin, 0 for none
   */
  ReplySpin(long maxNs) {
    this(maxNs, Runtime.getRuntime().availableProcessors(), System::nanoTime, Thread::yield);
  }

  /**
   * @param clockNs monotonic
   * @param yield gives the processor to other threads
   */
  ReplySpin(long maxNs, int processors, LongSupplier clockNs, Runnable yield) {
    this.maxNs = maxNs;
    this.processors = processors;
    this.clockNs = clockNs;
    this.yield = yield;
  }

  /** The longest spin, in nanoseconds, where MESH_SPIN_US was set to that; empty if it was not. */
  static long maxNs(Optional<String> spinUs) {
    int us = spinUs.map(Integer::parseInt).orElse(DEFAULT_SPIN_US);
    return SPINS * TimeUnit.MICROSECONDS.toNanos(us);
  }

  /**
   * A thread begins a call; {@link #leave} follows.
   *
   * @return how many threads are inside a call now, this one included
   */
  int enter() {
    return callers.incrementAndGet();
  }

  /** It has its reply, or none will come. */
  void leave() {
    callers.decrementAndGet();
  }

  /**
   * Polls for as long as that pays, unless it is interrupted; whether the reply has come then is
   * for the caller to see.
   *
   * @param waiting of {@link #enter}
   */
  void await(Future<?> reply, int waiting) {
    if (maxNs == 0 || waiting <= processors || !mayPoll()) {
      return;
    }
    long beginNs = clockNs.getAsLong();
    while (!reply.isDone()) {
      yield.run();
      if (Thread.currentThread().isInterrupted()) {
        return;
      }
      if (clockNs.getAsLong() - beginNs >= maxNs) {
        lost();
        return;
      }
    }
    sleeps /= 2;
  }

  private boolean mayPoll() {
    int left = sleepsLeft;
    if (left <= 0) {
      return true;
    }
    sleepsLeft = left - 1;
    return false;
  }

  /** A thread that computes delays every thread that polls, and lengthens the backoff once. */
  private void lost() {
    if (sleepsLeft > 0) {
      return;
    }
    int next = Math.min(Math.max(2 * sleeps, FIRST_SLEEPS), MAX_SLEEPS);
    sleeps = next;
    sleepsLeft = next;
  }
}
