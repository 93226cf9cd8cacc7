// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

/**
 * How fast bytes come in over one link, in rounds, of which the best counts. What a thread that
 * comes late finds at once has come before: so a round whose later bytes come much faster counts
 * with all its bytes since it began. A round in which too few bytes came, or whose first bytes were
 * there before this rank had begun it, counts only if there is no other. With the member's lock.
 */
final class ArrivalRate {
  /** The first bytes may come at another rate: what limits a cable often lets some through. */
  static final long WARM_UP_BYTES = 512 << 10;

  /** Several times of what may wait to be read. */
  static final long MIN_BYTES = 448 << 10;

  /** How much faster the later bytes may come: ranks begin a round at about the same time. */
  private static final double LATE = 2;

  private static final double NS_PER_S = 1e9;

  private long bytes;
  private long beginNs;

  /** Some bytes arrived at an unknown time before the round began: its rate shows nothing. */
  private boolean isEarly;

  private long markBytes;
  private long markNs;
  private long lastNs;
  private long best;
  private long bestOfUnsure;

  /** The neighbour has begun to send about now; some may have come already. */
  void beginRound(long nowNs) {
    beginNs = nowNs;
    isEarly = bytes > 0;
  }

  /** So many bytes more have come. */
  void arrived(long length, long nowNs) {
    boolean isFirst = bytes == 0;
    boolean isWarm = bytes < WARM_UP_BYTES && bytes + length >= WARM_UP_BYTES;
    bytes += length;
    if (isFirst || isWarm) {
      markBytes = bytes;
      markNs = nowNs;
    }
    lastNs = nowNs;
  }

  /** All bytes of a round have come. */
  void endRound() {
    long came = bytes - markBytes;
    long tookNs = lastNs - markNs;
    if (came > 0 && tookNs > 0) {
      double sinceBegin = bytes * NS_PER_S / Math.max(1, lastNs - beginNs);
      double afterMark = came * NS_PER_S / tookNs;
      long rate = (long) (afterMark > LATE * sinceBegin ? sinceBegin : afterMark);
      boolean isSure = came >= MIN_BYTES && !isEarly;
      best = isSure ? Math.max(best, rate) : best;
      bestOfUnsure = isSure ? bestOfUnsure : Math.max(bestOfUnsure, rate);
    }
    bytes = 0;
  }

  /** Of the best round; 0 if nothing has come. */
  long bytesPerSecond() {
    return best > 0 ? best : bestOfUnsure;
  }
}
