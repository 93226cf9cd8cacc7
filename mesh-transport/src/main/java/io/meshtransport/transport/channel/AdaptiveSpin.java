// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.channel;

import io.meshtransport.threads.YieldBackoff;

/**
 * Decides how long a waiting caller spins before it parks: at most for MESH_SPIN_US, and less where
 * that does not pay. It learns from how its waits end:
 *
 * <ul>
 *   <li>what came while it span, or would have if it had spun for longer: twice as long next time;
 *   <li>what did not come in all the time allowed: half as long;
 *   <li>a poll that came late, because the scheduler gave the core to another thread: half as long,
 *       no more of it now, and none in the next waits ({@link YieldBackoff});
 *   <li>more spinners than cores: half as long for each one beyond ({@link SpinnerCount}).
 * </ul>
 *
 * <p>Between two polls a spinning caller yields ({@code Thread.yield}): the thread that brings what
 * it waits for may need its core.
 *
 * <p>One per channel, and one per poller; confined to the thread that waits, of several to the one
 * that leads. All times are readings of one monotonic clock. Allocates nothing.
 */
public final class AdaptiveSpin {
  /** What a wake-up costs at most where cores are idle: it is not the peer's fault. */
  static final long WAKE_UP_NS = 50_000;

  /** Shorter spins are not worth the reading of the clock. */
  static final long SHORTEST_NS = 1_000;

  /** Waits that are let pass, at most, before it is tried again whether longer spins pay. */
  private static final int MOST_DOUBT = 63;

  /**
   *
   *
   * <pre>
   * POLLING -> SPINNING -> PARKED
   *     |                    ^
   *     +--------------------+
   * </pre>
   */
  private enum Phase {
    POLLING,
    SPINNING,
    PARKED
  }

  private final long mostNs;
  private final SpinnerCount spinners;
  private final YieldBackoff backoff = new YieldBackoff();
  private long limitNs;
  private Phase phase = Phase.POLLING;
  private long sinceNs;
  private long lookedNs;

  /** How many waits in a row that longer spins would have caught must pass before one is tried. */
  private int doubt;

  private int catchable;

  /** Whether this wait may not spin: what it does not catch says nothing. */
  private boolean isBackedOff;

  /**
   * @param mostNs longest spin, 0 for none
   */
  public AdaptiveSpin(long mostNs, SpinnerCount spinners) {
    this.mostNs = mostNs;
    this.spinners = spinners;
    this.limitNs = mostNs;
  }

  /** A wait begins. */
  public void begin(long nowNs) {
    phase = Phase.POLLING;
    isBackedOff = false;
    sinceNs = nowNs;
  }

  /**
   * A poll found nothing.
   *
   * @return whether to poll again at once; else it is time to park, and {@link #parks} must follow
   */
  public boolean mayGoOn(long nowNs) {
    if (phase == Phase.PARKED || limitNs == 0) {
      return false;
    }
    if (phase == Phase.POLLING && !backoff.mayPoll()) {
      isBackedOff = true;
      return false;
    }
    if (phase == Phase.POLLING) {
      phase = Phase.SPINNING;
      spinners.enter();
    } else if (YieldBackoff.isLate(lookedNs, nowNs)) {
      lost();
      return false;
    }
    lookedNs = nowNs;
    return nowNs - sinceNs < spinners.share(limitNs);
  }

  /** The caller parks; in this wait it spins no more. */
  public void parks() {
    leave();
    phase = Phase.PARKED;
  }

  /**
   * The wait has ended somehow, perhaps by an exception: a thread that waits no more does not spin.
   */
  public void finish() {
    leave();
    phase = Phase.POLLING;
  }

  /**
   * The wait is over; {@link #finish} follows.
   *
   * @param hasCome whether what was waited for has come, rather than the time passed
   */
  public void end(long nowNs, boolean hasCome) {
    if (!hasCome || mostNs == 0) {
      return;
    }
    if (phase == Phase.SPINNING && YieldBackoff.isLate(lookedNs, nowNs)) {
      lost();
    } else if (phase == Phase.SPINNING) {
      doubt = 0;
      backoff.paid();
      lengthen();
    } else if (phase == Phase.PARKED && !isBackedOff) {
      learnFromParking(nowNs - sinceNs);
    }
  }

  private void lost() {
    shorten();
    backoff.lost();
  }

  private void learnFromParking(long waitedNs) {
    boolean isCatchable = waitedNs <= mostNs + WAKE_UP_NS;
    if (!isCatchable) {
      catchable = 0;
      shorten();
    } else if (limitNs == mostNs) {
      // Just too late, again and again: what seems within reach is not.
      doubt = Math.min(2 * doubt + 1, MOST_DOUBT);
      shorten();
    } else if (++catchable > doubt) {
      catchable = 0;
      lengthen();
    }
  }

  private void leave() {
    if (phase == Phase.SPINNING) {
      spinners.leave();
    }
  }

  private void lengthen() {
    limitNs = Math.min(mostNs, Math.max(2 * limitNs, mostNs / 8));
  }

  private void shorten() {
    limitNs = limitNs / 2 < SHORTEST_NS ? 0 : limitNs / 2;
  }

  /** How long the next wait may spin where no other thread does, in nanoseconds. */
  long limitNs() {
    return limitNs;
  }
}
