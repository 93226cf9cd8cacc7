package io.meshtransport.softverbs;

/**
 * How many bytes a connection hands to the kernel ahead of their time: as many as leave in {@link
 * #AHEAD_NS}, since whatever comes later waits behind them. The rate is measured while the kernel
 * has no room: what it takes from one such moment to the next has left. A connection that is never
 * held up is never measured, and a fast one never limited. Guarded by the device's lock.
 */
final class SendPace {
  /** At first, while nothing is known; enough for a message of a page. */
  static final int FIRST_BYTES = 8 << 10;

  static final int LEAST_BYTES = 4 << 10;

  /** Enough for one write; what leaves faster than 200 Mb/s is not limited. */
  static final int MOST_BYTES = 1 << 20;

  /**
   * The kernel holds about two and a half times as much in all: what it has room for, and the write
   * that fills it. A short message so waits for some 0.1 s where the cable is slow. Where the cable
   * is long the kernel must have that much under way, so this is enough for a round trip of 70 ms.
   */
  private static final long AHEAD_NS = 40_000_000L;

  /** Older measurements count half when so much time has been measured since. */
  private static final double MEMORY_NS = 200_000_000.0;

  private int aheadBytes = FIRST_BYTES;
  private boolean isFull;
  private long fullSinceNs;
  private long takenBefore;
  private double measuredNs;
  private double measuredBytes;

  /** How much may be handed over in one write, and how much the kernel should have room for. */
  int aheadBytes() {
    return aheadBytes;
  }

  /** Whether the kernel had no room at the last write. */
  boolean isFull() {
    return isFull;
  }

  /**
   * The kernel has no room for more.
   *
   * @param takenBytes what it has taken since the connection stands
   */
  void full(long nowNs, long takenBytes) {
    if (isFull) {
      measured(nowNs - fullSinceNs, takenBytes - takenBefore);
    }
    isFull = true;
    fullSinceNs = nowNs;
    takenBefore = takenBytes;
  }

  /** It has taken everything; so it had room again, and perhaps more than it was given. */
  void done(long nowNs, long takenBytes) {
    if (isFull) {
      isFull = false;
      measured(nowNs - fullSinceNs, takenBytes - takenBefore);
    }
  }

  private void measured(long tookNs, long bytes) {
    if (tookNs <= 0) {
      return;
    }
    measuredNs += tookNs;
    measuredBytes += bytes;
    while (measuredNs > MEMORY_NS) {
      measuredNs /= 2;
      measuredBytes /= 2;
    }
    double wanted = measuredBytes / measuredNs * AHEAD_NS;
    // One measurement may have met a buffer on the way that was empty.
    double most = Math.min(MOST_BYTES, 2.0 * aheadBytes);
    aheadBytes = (int) Math.max(LEAST_BYTES, Math.min(most, wanted));
  }
}
