// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs;

/**
 * How many bytes a connection hands to the kernel ahead of their time: as many as leave in {@link
 * #AHEAD_NS}, since whatever comes later waits behind them. The rate is measured while the kernel
 * has no room: what it takes from one such moment to the next has left. A fast connection is not
 * limited. Guarded by the device's lock.
 */
final class SendPace {
  /** At first, while nothing is known; enough for a message of a page. */
  static final int FIRST_BYTES = 8 << 10;

  static final int LEAST_BYTES = 4 << 10;

  /** Enough for one write; what leaves faster than 200 Mb/s is not limited. */
  static final int MOST_BYTES = 1 << 20;

  /**
   * The kernel has room for about as much again, so a short message waits for some 0.1 s at most
   * where the cable is slow. Where it is long the kernel must have that much under way, so this is
   * enough for a round trip of 70 ms.
   */
  private static final long AHEAD_NS = 40_000_000L;

  /** Older measurements count half when so much time has been measured since. */
  private static final double MEMORY_NS = 200_000_000.0;

  private int aheadBytes = FIRST_BYTES;
  private boolean isFull;
  private long fullSinceNs;
  private long takenBefore;

  /** The kernel is certainly full since it had taken so much in all. */
  private long fullFrom;

  /** Where what has certainly left is counted from: {@link #passedOn}. */
  private long burstsSinceNs;

  private long burstsFrom;
  private boolean isCountingBursts;

  private double measuredNs;
  private double measuredBytes;

  /** How much may be handed over in one write, and how much the kernel should have room for. */
  int aheadBytes() {
    return aheadBytes;
  }

  /** Whether the cable is slow, or not known yet. */
  boolean isLimiting() {
    return aheadBytes < MOST_BYTES;
  }

  /** Whether the kernel had no room at the last write. */
  boolean isFull() {
    return isFull;
  }

  /**
   * The kernel has no room for more: it has taken a part of a write only.
   *
   * @param takenBytes what it has taken since the connection stands
   */
  void full(long nowNs, long takenBytes) {
    if (!count(nowNs, takenBytes)) {
      fullFrom = takenBytes;
    }
    begin(nowNs, takenBytes);
  }

  /** It has taken a write, and is given more as soon as it says that it has room. */
  void mayBeFull(long nowNs, long takenBytes) {
    if (!count(nowNs, takenBytes) && !isFull) {
      fullFrom = takenBytes + roomBytes();
    }
    begin(nowNs, takenBytes);
  }

  /** It has taken everything; so it had room again, and perhaps more than it was given. */
  void done(long nowNs, long takenBytes) {
    count(nowNs, takenBytes);
    isFull = false;
  }

  private void begin(long nowNs, long takenBytes) {
    passedOn(nowNs, takenBytes);
    isFull = true;
    fullSinceNs = nowNs;
    takenBefore = takenBytes;
  }

  /** What fills its room has not left: that says how fast memory is, and nothing of the cable. */
  private boolean count(long nowNs, long takenBytes) {
    if (!isFull || takenBefore < fullFrom) {
      return false;
    }
    int before = aheadBytes;
    measured(nowNs - fullSinceNs, takenBytes - takenBefore);
    if (Integer.highestOneBit(aheadBytes) > Integer.highestOneBit(before)) {
      fullFrom = takenBytes + roomBytes();
    }
    return true;
  }

  /** Whatever it has taken and has no room for has left, also in bursts that never fill it. */
  private void passedOn(long nowNs, long takenBytes) {
    if (!isCountingBursts) {
      // What the kernel has taken before the first look took an unknown time.
      isCountingBursts = true;
      burstsSinceNs = nowNs;
      burstsFrom = takenBytes;
    }
    long tookNs = nowNs - burstsSinceNs;
    double leftBytes = takenBytes - burstsFrom - roomBytes();
    boolean isFaster = leftBytes * AHEAD_NS >= 2.0 * aheadBytes * tookNs && leftBytes > 0;
    if (isFaster && aheadBytes < MOST_BYTES) {
      aheadBytes = Math.min(MOST_BYTES, 2 * aheadBytes);
      fullFrom = takenBytes + roomBytes();
    }
    if (isFaster || tookNs > MEMORY_NS) {
      burstsSinceNs = nowNs;
      burstsFrom = takenBytes;
    }
  }

  /** What fits into the kernel at most: it counts SO_SNDBUF twice, and takes a write more. */
  private long roomBytes() {
    return 3L * aheadBytes;
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
    // One measurement may have met a pause or a buffer on the way that was empty.
    double most = Math.min(MOST_BYTES, 2.0 * aheadBytes);
    aheadBytes = (int) Math.max(LEAST_BYTES, Math.min(most, wanted));
  }
}
