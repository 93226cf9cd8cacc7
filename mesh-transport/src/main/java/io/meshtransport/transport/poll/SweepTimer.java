// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.poll;

import java.util.concurrent.atomic.AtomicLong;

/**
 * When a poller must next visit its connections: all of them, since a deadline passes or a silent
 * peer must be probed, or those that have unsignaled sends under way. Confined to the poller's
 * lock, except what says that any thread may call it.
 */
final class SweepTimer {
  /** Deadlines and reports are this coarse. */
  static final long MIN_SWEEP_NS = 5_000_000;

  /** On the clock of System.nanoTime, or {@link Watched#NEVER}. */
  private final AtomicLong dueNs = new AtomicLong(Watched.NEVER);

  private long sweptNs;

  SweepTimer(long nowNs) {
    sweptNs = nowNs;
  }

  /**
   * Calls for a sweep. Any thread.
   *
   * @return whether none was due by then
   */
  boolean lower(long newDueNs) {
    long was = dueNs.get();
    while (newDueNs < was) {
      if (dueNs.compareAndSet(was, newDueNs)) {
        return true;
      }
      was = dueNs.get();
    }
    return false;
  }

  /** As {@link #lower}, {@value #MIN_SWEEP_NS} ns from now. Any thread. */
  boolean lowerToSoon() {
    return lower(System.nanoTime() + MIN_SWEEP_NS);
  }

  /** Whether a sweep is called for, now or later. Any thread. */
  boolean isSet() {
    return dueNs.get() != Watched.NEVER;
  }

  /**
   * Whether a sweep is due; then it counts as begun, and the next must be called for.
   *
   * @param nowNs on the clock of System.nanoTime
   */
  boolean beginIfDue(long nowNs) {
    if (nowNs - sweptNs < MIN_SWEEP_NS || nowNs < dueNs.get()) {
      return false;
    }
    sweptNs = nowNs;
    dueNs.set(Watched.NEVER);
    return true;
  }

  /**
   * Nanoseconds until {@link #beginIfDue} begins one, or {@link Watched#NEVER}; without the lock an
   * estimate. Any thread.
   */
  long untilDueNs(long nowNs) {
    long due = dueNs.get();
    return due == Watched.NEVER
        ? Watched.NEVER
        : Math.max(due - nowNs, Math.max(0, sweptNs + MIN_SWEEP_NS - nowNs));
  }
}
