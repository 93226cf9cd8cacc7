// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.tcp;

/**
 * How many bytes a connection gives the kernel ahead of their time: as many as leave in {@link
 * #AHEAD_NS}, since every later frame waits behind them. The rate is measured while the kernel's
 * send buffer is full: what it accepts from one such moment to the next has left. A fast connection
 * is not limited. Guarded by the device's lock.
 */
final class SendPace {
  /** At first, while nothing is known; enough for a message of a page. */
  static final int FIRST_BYTES = 8 << 10;

  static final int MIN_BYTES = 4 << 10;

  /** Enough for one write; what leaves faster than 200 Mb/s is not limited. */
  static final int MAX_BYTES = 1 << 20;

  /**
   * The kernel accepts about as much again, so a short message waits for some 0.1 s at most where
   * the cable is slow. Where it is long the kernel must have that much under way, so this is enough
   * for a round trip of 70 ms.
   */
  private static final long AHEAD_NS = 40_000_000L;

  /** Older measurements count half when so much time has been measured since. */
  private static final double MEMORY_NS = 200_000_000.0;

  private int aheadBytes = FIRST_BYTES;
  private boolean isFull;
  private long fullSinceNs;
  private long takenBefore;

  /** The kernel is certainly full since it had accepted so much in all. */
  private long fullFrom;

  /** Where what has certainly left is counted from: {@link #passedOn}. */
  private long burstsSinceNs;

  private long burstsFrom;
  private boolean isCountingBursts;

  private double measuredNs;
  private double measuredBytes;

  /** How much one write may be, and how much the kernel's send buffer should have space for. */
  int aheadBytes() {
    return aheadBytes;
  }

  /** Whether the cable is slow, or not known yet. */
  boolean isLimiting() {
    return aheadBytes < MAX_BYTES;
  }

  /** Whether the kernel was full at the last write. */
  boolean isFull() {
    return isFull;
  }

  /**
   * The kernel is full: it has accepted a part of a write only.
   *
   * @param takenBytes what it has accepted since the connection was made
   */
  void full(long nowNs, long takenBytes) {
    if (!count(nowNs, takenBytes)) {
      fullFrom = takenBytes;
    }
    begin(nowNs, takenBytes);
  }

  /**
   * The kernel has accepted a write, and is given more as soon as it reports that it accepts more.
   */
  void mayBeFull(long nowNs, long takenBytes) {
    if (!count(nowNs, takenBytes) && !isFull) {
      fullFrom = takenBytes + kernelCapacityBytes();
    }
    begin(nowNs, takenBytes);
  }

  /**
   * The kernel has accepted everything; so it was not full, and could perhaps have accepted more.
   */
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

  /** What fills the send buffer has not left: that measures memory, and not the cable. */
  private boolean count(long nowNs, long takenBytes) {
    if (!isFull || takenBefore < fullFrom) {
      return false;
    }
    int before = aheadBytes;
    measured(nowNs - fullSinceNs, takenBytes - takenBefore);
    if (Integer.highestOneBit(aheadBytes) > Integer.highestOneBit(before)) {
      fullFrom = takenBytes + kernelCapacityBytes();
    }
    return true;
  }

  /** What the kernel has accepted beyond its buffer has left, also in bursts that never fill it. */
  private void passedOn(long nowNs, long takenBytes) {
    if (!isCountingBursts) {
      // How long it took the kernel to accept what came before the first measurement is unknown.
      isCountingBursts = true;
      burstsSinceNs = nowNs;
      burstsFrom = takenBytes;
    }
    long tookNs = nowNs - burstsSinceNs;
    double leftBytes = takenBytes - burstsFrom - kernelCapacityBytes();
    boolean isFaster = leftBytes * AHEAD_NS >= 2.0 * aheadBytes * tookNs && leftBytes > 0;
    if (isFaster && aheadBytes < MAX_BYTES) {
      aheadBytes = Math.min(MAX_BYTES, 2 * aheadBytes);
      fullFrom = takenBytes + kernelCapacityBytes();
    }
    if (isFaster || tookNs > MEMORY_NS) {
      burstsSinceNs = nowNs;
      burstsFrom = takenBytes;
    }
  }

  /** The most that the kernel contains: it counts SO_SNDBUF twice, and accepts one write more. */
  private long kernelCapacityBytes() {
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
    // One measurement may have included a pause, or a buffer on the way that was empty.
    double most = Math.min(MAX_BYTES, 2.0 * aheadBytes);
    aheadBytes = (int) Math.max(MIN_BYTES, Math.min(most, wanted));
  }
}
