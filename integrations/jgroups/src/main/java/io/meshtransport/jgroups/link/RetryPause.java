// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.link;

/**
 * The pause between a failure of a link and its next dial. Confined to the link's lock.
 *
 * <p>All moments are on the clock of System.nanoTime.
 */
final class RetryPause {
  /** A peer to which a message was refused within this time is worth a dial of its own. */
  private static final long RECENT_NS = 60_000_000_000L;

  private final BackOff backOff;
  private long untilNs;
  private long refusedNs;

  /**
   * @param nowNs when the link is made
   */
  RetryPause(BackOff backOff, long nowNs) {
    this.backOff = backOff;
    untilNs = nowNs;
    refusedNs = nowNs - RECENT_NS;
  }

  /** A dial failed or a channel broke: the pause begins, longer than the one before. */
  void begin(long nowNs) {
    untilNs = nowNs + backOff.nextPauseNs();
  }

  /** A channel was opened, or cables have changed: the next pause is the shortest again. */
  void reset() {
    backOff.reset();
  }

  /** Cables or addresses have changed: the pause is over. */
  void end(long nowNs) {
    untilNs = nowNs;
  }

  /** Nanoseconds until the next dial; not positive once the pause is over. */
  long leftNs(long nowNs) {
    return untilNs - nowNs;
  }

  boolean isOver(long nowNs) {
    return leftNs(nowNs) <= 0;
  }

  /** A message was to be sent while the link was down. */
  void messageRefused(long nowNs) {
    refusedNs = nowNs;
  }

  boolean wasMessageRefusedLately(long nowNs) {
    return nowNs - refusedNs < RECENT_NS;
  }
}
