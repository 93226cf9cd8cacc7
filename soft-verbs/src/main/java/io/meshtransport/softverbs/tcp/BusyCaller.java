// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.tcp;

/**
 * Knows the caller that moves the devices' bytes all the time: it polls, or it waits and polls
 * again, without a pause. Others that wait leave the devices to it: each of them that slept in the
 * selector would be woken for its messages, and would have to wake it.
 *
 * <p>Any thread may call it, without a lock. What it says may be a few polls old: its fields are
 * not volatile, since each poll would then cost as much as a lock. Who acts on it looks again
 * within {@link #MAX_FOLLOW_NS}.
 */
final class BusyCaller {
  /** A caller that pauses for longer is not busy. */
  static final long MAX_PAUSE_NS = 200_000;

  /** So many times without a pause, and a caller is busy. */
  static final int FEWEST_POLLS = 16;

  /** How soon a follower looks again; each time the caller is still busy, it doubles. */
  static final long FIRST_FOLLOW_NS = 100_000;

  static final long MAX_FOLLOW_NS = 2_000_000;

  private Thread caller;
  private long polledNs;

  /** Without a pause; a caller that spins for minutes polls more often than an int can count. */
  private long polls;

  private long followNs = FIRST_FOLLOW_NS;

  /** This thread polls, or has waited and got what it waited for. */
  void polled(long nowNs) {
    polls = isRecent(nowNs) ? polls + 1 : 1;
    polledNs = nowNs;
    caller = Thread.currentThread();
  }

  /**
   * This thread has slept in the selector, where it served all: if it came there without a pause,
   * this was none either.
   */
  void slept(long fromNs, long toNs) {
    if (caller == Thread.currentThread() && isRecent(fromNs)) {
      polledNs = toNs;
    }
  }

  private boolean isRecent(long nowNs) {
    return nowNs - polledNs <= MAX_PAUSE_NS;
  }

  /** Whether there is one. */
  boolean isAny(long nowNs) {
    return polls >= FEWEST_POLLS && isRecent(nowNs);
  }

  /** Whether there is one, and it is another thread than this. */
  boolean isOther(long nowNs) {
    boolean isOther = isAny(nowNs) && caller != Thread.currentThread();
    if (!isOther) {
      followNs = FIRST_FOLLOW_NS;
    }
    return isOther;
  }

  /** How long this thread leaves the devices to the other before it looks again. */
  long followNs() {
    long now = followNs;
    followNs = Math.min(2 * now, MAX_FOLLOW_NS);
    return now;
  }

  /** This thread polls no more. */
  void leave() {
    if (caller == Thread.currentThread()) {
      polls = 0;
    }
  }
}
