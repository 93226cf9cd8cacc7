package io.meshtransport.softverbs;

/**
 * Tells a peer that is stopped from one that is gone. An adapter answers while the program behind
 * it is stopped; so does the peer's kernel, and the own kernel knows whether it did. Asked only
 * when an answer is overdue and nothing else has come by the connection either, whichever wire it
 * was for. Guarded by the device's lock.
 */
final class PeerWatch {
  /**
   * Where the kernel's word is not to be had, a peer is given up after this many times the
   * patience: the most that InfiniBand 1.4 section 9.7.6.1.3 allows an adapter to wait.
   */
  static final int BLIND_FACTOR = 4;

  /** Of the connection that is watched; there is one whenever something is looked at. */
  private Standing standing;

  private boolean hasLooked;
  private long heardBeforeNs;
  private long answeredBeforeNs;
  private long acknowledgedBefore;

  /** From now on that is the connection. */
  void begin(Standing newStanding) {
    standing = newStanding;
    heardBeforeNs = newStanding.heardNs();
    hasLooked = false;
  }

  /**
   * Remembers how things stand.
   *
   * @return whether the kernel waits for nothing, so that something must be sent to find out
   */
  boolean look(long nowNs) {
    heardBeforeNs = standing.heardNs();
    hasLooked = false;
    if (standing.isHeardJustNow(nowNs)) {
      // It was alive a moment ago. Should it say nothing more, the next look is the one that
      // counts.
      return false;
    }
    hasLooked = standing.ask(nowNs);
    answeredBeforeNs = standing.askedNs();
    acknowledgedBefore = standing.acknowledgedBytes();
    return !hasLooked || standing.takeProbe();
  }

  /** Whether the peer's host has been silent since the last look although our kernel asked it. */
  boolean isPeerGone(long nowNs, long silentNs, long patienceNs) {
    if (standing.heardNs() != heardBeforeNs) {
      return false;
    }
    if (!standing.ask(nowNs)) {
      long allSilentNs = Math.min(silentNs, nowNs - standing.heardNs());
      return standing.isUntold() && allSilentNs >= BLIND_FACTOR * patienceNs;
    }
    return standing.isProbingWindow() ? standing.ignoresProbes() : hasLooked && ignoresData();
  }

  /** An answer that is no newer than the look's own shows no progress for want of time. */
  private boolean ignoresData() {
    return standing.isRepeating(1)
        && standing.askedNs() != answeredBeforeNs
        && standing.acknowledgedBytes() == acknowledgedBefore;
  }
}
