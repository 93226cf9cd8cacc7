// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.threads;

/**
 * Whether a wait may poll and yield in turns, or had better sleep. A thread that yields gets its
 * core back at once from others that yield or sleep, but from one that computes, a compiler of its
 * own JVM for instance, only after a time slice of milliseconds; a thread that sleeps is woken at
 * once. So after a poll that came late the next waits sleep, twice as many each time (exponential
 * backoff), and half as many once polls pay again.
 *
 * <p>Confined to the thread that waits. Times are readings of one monotonic clock, in nanoseconds.
 * Allocates nothing.
 */
public final class YieldBackoff {
  /**
   * Two polls so far apart were not made by a thread that had its core: a time slice is longer
   * (base_slice_ns of the kernel's fair scheduler, 0.7 ms times 1 + log2 of the number of
   * processors), and to poll and to yield to others that do so takes some ten microseconds. One
   * that copies for longer between two polls waits for bytes, and loses nothing by its sleep.
   */
  public static final long LATE_NS = 500_000;

  private static final int FIRST_WAITS = 8;
  private static final int MAX_WAITS = 512;

  private int waits;
  private int waitsLeft;

  /** A wait begins that would poll: whether it may, which counts down the waits that may not. */
  public boolean mayPoll() {
    if (waitsLeft == 0) {
      return true;
    }
    waitsLeft--;
    return false;
  }

  /** Whether the thread has lost its core between two polls: {@link #lost} must follow. */
  public static boolean isLate(long polledNs, long nowNs) {
    return nowNs - polledNs >= LATE_NS;
  }

  /** A poll came late, whatever it has found. */
  public void lost() {
    waits = Math.min(Math.max(2 * waits, FIRST_WAITS), MAX_WAITS);
    waitsLeft = waits;
  }

  /** A poll in time has found what the wait was for. */
  public void paid() {
    waits /= 2;
  }
}
