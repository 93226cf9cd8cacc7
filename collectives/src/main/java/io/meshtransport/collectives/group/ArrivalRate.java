// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

/**
 * How fast bytes come in over one link, in rounds, of which the best counts. What a thread finds at
 * once has come before, and says nothing of the link's rate: a round in which too few bytes came
 * counts only if there is no other. With the member's lock.
 */
final class ArrivalRate {
  /** The first bytes may come at another rate: what limits a cable often lets some through. */
  static final long WARM_UP_BYTES = 512 << 10;

  /** Several times of what may wait to be read. */
  static final long MIN_BYTES = 448 << 10;

  private static final double NS_PER_S = 1e9;

  private long bytes;
  private long markBytes;
  private long markNs;
  private long lastNs;
  private long best;
  private long bestOfFew;

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
      long rate = (long) (came * NS_PER_S / tookNs);
      boolean isMany = came >= MIN_BYTES;
      best = isMany ? Math.max(best, rate) : best;
      bestOfFew = isMany ? bestOfFew : Math.max(bestOfFew, rate);
    }
    bytes = 0;
  }

  /** Of the best round; 0 if nothing has come. */
  long bytesPerSecond() {
    return best > 0 ? best : bestOfFew;
  }
}
