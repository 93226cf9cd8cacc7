// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs;

/**
 * How long a requester waits for a silent peer. It looks several times while the bound has not
 * passed; every sign of life of the peer's host begins a new silence. Time in which this program
 * was stalled, so that it came late to a look, is not the peer's silence: an answer may be lying
 * here unread. All times are readings of the device's clock. Guarded by the device's lock.
 */
final class ResponseTimeout {
  /** Looks within the bound: a sign of life that the kernel alone has seen is dated by a look. */
  static final int LOOKS = 16;

  private final long boundNs;
  private final long intervalNs;
  private long silentSinceNs;
  private long nextLookNs;

  /**
   * @param boundNs after which silence may count as death
   */
  ResponseTimeout(long boundNs) {
    this.boundNs = boundNs;
    this.intervalNs = Math.max(1, boundNs / LOOKS);
  }

  long boundNs() {
    return boundNs;
  }

  /** How long the peer has been silent, as far as this program was there to hear it. */
  long silentNs(long nowNs) {
    return nowNs - silentSinceNs;
  }

  boolean isOver(long nowNs) {
    return silentNs(nowNs) >= boundNs;
  }

  long nextLookNs() {
    return nextLookNs;
  }

  /** The peer has shown life, or there is something new to wait for. */
  void restart(long nowNs) {
    silentSinceNs = nowNs;
    nextLookNs = nowNs + intervalNs;
  }

  /** The peer's host showed life so long ago, if not before the present silence began. */
  void alive(long nowNs, long agoNs) {
    if (agoNs < silentNs(nowNs)) {
      silentSinceNs = nowNs - agoNs;
    }
  }

  /** Whether it is time to look; if so, the next look is an interval later. */
  boolean isDue(long nowNs) {
    long lateNs = nowNs - nextLookNs;
    if (lateNs < 0) {
      return false;
    }
    silentSinceNs += lateNs;
    nextLookNs = nowNs + intervalNs;
    return true;
  }
}
