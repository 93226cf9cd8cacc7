package io.meshtransport.softverbs;

/**
 * How long a requester waits for a silent peer. A first look half way, then a judgement when the
 * time is over; a peer whose host turns out to be alive gets another turn. Time in which this
 * program was stalled, so that it came late to a look, is not the peer's silence: an answer may be
 * lying here unread. All times are readings of the device's clock. Guarded by the device's lock.
 */
final class Patience {
  /** What to do now. */
  enum Verdict {
    WAIT,
    LOOK,
    JUDGE
  }

  /** Between further judgements at least this: they cost a look into the kernel's tables. */
  private static final long LEAST_INTERVAL_NS = 50_000_000L;

  private final long silenceNs;
  private long silentSinceNs;
  private long nextLookNs;
  private boolean hasLooked;

  /**
   * @param silenceNs what the queue pair's timeout and retry count allow
   */
  Patience(long silenceNs) {
    this.silenceNs = silenceNs;
  }

  long silenceNs() {
    return silenceNs;
  }

  /** How long the peer has been silent, as far as this program was there to hear it. */
  long silentNs(long nowNs) {
    return nowNs - silentSinceNs;
  }

  long nextLookNs() {
    return nextLookNs;
  }

  /** The peer has shown life, or there is something new to wait for. */
  void restart(long nowNs) {
    silentSinceNs = nowNs;
    nextLookNs = nowNs + silenceNs / 2;
    hasLooked = false;
  }

  Verdict check(long nowNs) {
    long lateNs = nowNs - nextLookNs;
    if (lateNs < 0) {
      return Verdict.WAIT;
    }
    silentSinceNs += lateNs;
    if (!hasLooked) {
      hasLooked = true;
      nextLookNs = silentSinceNs + silenceNs;
      return Verdict.LOOK;
    }
    nextLookNs = nowNs + Math.max(LEAST_INTERVAL_NS, silenceNs / 2);
    return Verdict.JUDGE;
  }
}
