// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.link;

import java.util.concurrent.TimeUnit;

/**
 * The pauses between dials of a peer that cannot be reached: doubling from a first pause to a
 * longest one. Confined to its link's lock.
 */
final class BackOff {
  private final long firstNs;
  private final long longestNs;
  private long nextNs;

  /**
   * @param firstMs first pause, milliseconds, at least 1
   * @param longestMs longest pause, at least the first
   */
  BackOff(long firstMs, long longestMs) {
    firstNs = TimeUnit.MILLISECONDS.toNanos(firstMs);
    longestNs = Math.max(firstNs, TimeUnit.MILLISECONDS.toNanos(longestMs));
    nextNs = firstNs;
  }

  /** The pause after one more failure, in nanoseconds. */
  long nextPauseNs() {
    long pauseNs = nextNs;
    nextNs = nextNs > longestNs / 2 ? longestNs : 2 * nextNs;
    return pauseNs;
  }

  /** A dial succeeded: the next pause is the first again. */
  void reset() {
    nextNs = firstNs;
  }
}
