// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session;

/**
 * The pauses between attempts to connect, which double from a first one to a longest one. Confined
 * to its peer's lock.
 */
final class ReconnectPauses {
  private final long firstNs;
  private final long longestNs;
  private long nextNs;

  ReconnectPauses(SessionOptions options) {
    firstNs = options.firstPause().toNanos();
    longestNs = options.maxPause().toNanos();
    nextNs = firstNs;
  }

  /** The pause after one more failure, in nanoseconds. */
  long nextPauseNs() {
    long pauseNs = nextNs;
    nextNs = nextNs > longestNs / 2 ? longestNs : 2 * nextNs;
    return pauseNs;
  }

  long longestNs() {
    return longestNs;
  }

  /** A connection has lasted: the next pause is the first again. */
  void reset() {
    nextNs = firstNs;
  }
}
