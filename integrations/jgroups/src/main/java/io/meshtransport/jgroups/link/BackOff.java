// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.link;

import java.util.concurrent.TimeUnit;

/**
 * How long to leave a peer alone that could not be reached: doubling from a first pause to a
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

  /** It failed again: how long to wait, in nanoseconds. */
  long nextPauseNs() {
    long pauseNs = nextNs;
    nextNs = nextNs > longestNs / 2 ? longestNs : 2 * nextNs;
    return pauseNs;
  }

  /** It worked. */
  void reset() {
    nextNs = firstNs;
  }
}
