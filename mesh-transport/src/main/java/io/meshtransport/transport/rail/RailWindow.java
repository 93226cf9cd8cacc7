// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.rail;

/**
 * What is under way on one rail, and how fast the rail has shown itself to be. A rail of which
 * nothing is known gets an eighth of a chunk first; what it may have under way then grows with what
 * it has across, as a TCP connection's window in slow start (RFC 5681). Confined to the channel's
 * lock; allocates nothing after it is made.
 */
public final class RailWindow {
  /**
   * Longest chunk of a rail that is the only one used: nothing is to be shared out, and each chunk
   * costs an acknowledgement. What is under way when such a rail is lost goes again over the next.
   */
  static final int SOLE_CHUNK_BYTES = 2 << 20;

  /** Chunks under way at once: the next must be there before the one before it has arrived. */
  public static final int WINDOW_CHUNKS = 8;

  /**
   * How long others go on while it has nothing across, until it is given up: longer than one
   * retransmission of TCP takes on a short cable (200 ms, and the delay itself).
   */
  static final long PATIENCE_NS = 300_000_000;

  /** What a rail does so long ago says little of now: it is probed anew. */
  static final long STALE_NS = 1_000_000_000;

  /** A rail that proves slow again and again is probed less often. */
  static final long MAX_STALE_NS = 32 * STALE_NS;

  private static final int PROBES_PER_CHUNK = 8;

  /** Shorter measurements say more of the clock and of wake-ups than of the cable. */
  private static final long SAMPLE_NS = 2_000_000;

  /**
   * Few bytes say how long a trip takes on this host, which is milliseconds where it is busy, and
   * not how fast the cable is: a sample has so many chunks, unless they take {@link
   * #LONG_SAMPLE_NS}.
   */
  private static final int SAMPLE_CHUNKS = 4;

  /** No trip takes that long where the cable is short: what is slow then is the cable. */
  private static final long LONG_SAMPLE_NS = 50_000_000;

  /** A new sample counts for a quarter, so that one burst does not turn everything round. */
  private static final int SMOOTHING = 4;

  /**
   * A rail that is slower than others has no more under way than it has across in that time: enough
   * for a sender that polls every ms, and little to wait for.
   */
  private static final long AT_STAKE_NS = 20_000_000;

  /** A rate is a guess: of a slow rail it must be wrong by that much before a message waits. */
  private static final int CAUTION = 2;

  /** Over many times what was expected even a slow rail is stuck. */
  private static final int EXPECTED_TIMES = 4;

  private final Rail rail;
  private final int chunkBytes;
  private final int probeBytes;
  private final ChunkQueue inFlight = new ChunkQueue(WINDOW_CHUNKS);
  private long inFlightBytes;
  private long windowBytes;
  private double bytesPerNs;
  private long sampleBytes;
  private long sampleNs;
  private long lastNs;
  private long staleNs = STALE_NS;

  /** Whether another rail has answered since this one did, and since when. */
  private boolean isPassed;

  private long passedNs;

  /**
   * @param chunkBytes longest chunk
   */
  RailWindow(Rail rail, int chunkBytes) {
    this.rail = rail;
    this.chunkBytes = chunkBytes;
    this.probeBytes = Math.max(1, chunkBytes / PROBES_PER_CHUNK);
    this.windowBytes = probeBytes;
  }

  public Rail rail() {
    return rail;
  }

  /** Oldest first, which is the order in which they are acknowledged. */
  public ChunkQueue inFlight() {
    return inFlight;
  }

  public long inFlightBytes() {
    return inFlightBytes;
  }

  /**
   * Longest chunk that it may be given now; 0 if it has enough.
   *
   * @param fastestBytesPerNs of all rails
   */
  int capacityBytes(double fastestBytesPerNs, long nowNs) {
    if (!rail.isLive() || inFlight.isFull()) {
      return 0;
    }
    if (inFlight.size() == 0) {
      forgetIfStale(nowNs);
      return (int) Math.min(chunkBytes, limitBytes(fastestBytesPerNs));
    }
    // Whole chunks only, or what is left of a window would go in ever smaller ones.
    return limitBytes(fastestBytesPerNs) - inFlightBytes >= chunkBytes ? chunkBytes : 0;
  }

  /** The same of a rail that is the only one used. */
  int soleCapacityBytes() {
    return !rail.isLive() || inFlight.isFull() ? 0 : Math.max(chunkBytes, SOLE_CHUNK_BYTES);
  }

  private long limitBytes(double fastestBytesPerNs) {
    return isSlow(fastestBytesPerNs)
        ? Math.min(windowBytes, Math.max(probeBytes, (long) (bytesPerNs * AT_STAKE_NS)))
        : windowBytes;
  }

  /** Whether it is known to be much slower than the fastest. */
  private boolean isSlow(double fastestBytesPerNs) {
    return bytesPerNs != 0 && bytesPerNs < fastestBytesPerNs / 2;
  }

  private void forgetIfStale(long nowNs) {
    boolean isKnown = bytesPerNs != 0 || windowBytes > probeBytes;
    if (isKnown && nowNs - lastNs > staleNs) {
      bytesPerNs = 0;
      windowBytes = probeBytes;
      sampleBytes = 0;
      sampleNs = 0;
      staleNs = Math.min(MAX_STALE_NS, 2 * staleNs);
    }
  }

  public void posted(int slot, long offsetBytes, int lengthBytes, long nowNs) {
    if (inFlight.size() == 0) {
      // Only time in which something was under way is measured.
      lastNs = nowNs;
      isPassed = false;
    }
    inFlight.add(slot, offsetBytes, lengthBytes);
    inFlightBytes += lengthBytes;
  }

  /** The oldest chunk is at the peer. */
  public void acknowledged(long nowNs) {
    int lengthBytes = inFlight.lengthBytes();
    inFlight.remove();
    inFlightBytes -= lengthBytes;
    sampleBytes += lengthBytes;
    sampleNs += nowNs - lastNs;
    lastNs = nowNs;
    isPassed = false;
    long fullBytes = (long) WINDOW_CHUNKS * chunkBytes;
    windowBytes = Math.min(fullBytes, windowBytes + lengthBytes);
    if (windowBytes == fullBytes) {
      staleNs = STALE_NS;
    }
    boolean isTelling =
        sampleBytes >= (long) SAMPLE_CHUNKS * chunkBytes || sampleNs >= LONG_SAMPLE_NS;
    if (sampleNs >= SAMPLE_NS && isTelling) {
      double sample = (double) sampleBytes / sampleNs;
      bytesPerNs = bytesPerNs == 0 ? sample : bytesPerNs + (sample - bytesPerNs) / SMOOTHING;
      sampleBytes = 0;
      sampleNs = 0;
    }
  }

  /** Another rail has answered. */
  void passed(long nowNs) {
    if (inFlight.size() > 0 && !isPassed) {
      isPassed = true;
      passedNs = nowNs;
    }
  }

  /** Whether it has had nothing across for so long that others are to be asked whether they do. */
  boolean isLate(long nowNs) {
    return inFlight.size() > 0 && !isPassed && nowNs - lastNs > PATIENCE_NS;
  }

  /** For how long others have gone on while this one had nothing across; 0 if they have not. */
  public long stuckNs(long nowNs) {
    return isPassed ? nowNs - passedNs : 0;
  }

  /** Whether what is under way had better be sent over another rail. */
  boolean isStuck(long nowNs) {
    if (stuckNs(nowNs) <= PATIENCE_NS) {
      return false;
    }
    return bytesPerNs == 0 || stuckNs(nowNs) > EXPECTED_TIMES * inFlight.lengthBytes() / bytesPerNs;
  }

  /** 0 while it is not known. */
  double bytesPerNs() {
    return bytesPerNs;
  }

  boolean isMeasured() {
    return bytesPerNs != 0;
  }

  /**
   * As {@link #takesNs}; for a slow rail a multiple, so that a bad estimate makes no message wait.
   */
  double surelyTakesNs(long moreBytes, double fastestBytesPerNs) {
    return takesNs(moreBytes) * (isSlow(fastestBytesPerNs) ? CAUTION : 1);
  }

  /**
   * How long it would take for what is under way and so many bytes more, in nanoseconds; 0 while
   * its rate is not known, so that it is tried.
   */
  double takesNs(long moreBytes) {
    return bytesPerNs == 0 ? 0 : (inFlightBytes + moreBytes) / bytesPerNs;
  }
}
