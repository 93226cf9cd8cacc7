package io.meshtransport.transport;

/**
 * What is under way on one rail, and how fast the rail has shown itself to be. Confined to the
 * channel's lock; allocates nothing after it is made.
 */
final class Flow {
  /** Chunks under way at once: the next must be there before the one before it has arrived. */
  static final int WINDOW_CHUNKS = 8;

  /** Shorter measurements say more of the clock and of wake-ups than of the cable. */
  private static final long SAMPLE_NS = 2_000_000;

  /** What a rail did so long ago says little of now: it is tried anew. */
  private static final long STALE_NS = 1_000_000_000;

  /** A new sample counts for a quarter, so that one burst does not turn everything round. */
  private static final int SMOOTHING = 4;

  private final Rail rail;
  private final Chunks underWay = new Chunks(WINDOW_CHUNKS);
  private long underWayBytes;
  private double bytesPerNs;
  private long sampleBytes;
  private long sampleNs;
  private long lastNs;

  Flow(Rail rail) {
    this.rail = rail;
  }

  Rail rail() {
    return rail;
  }

  /** Oldest first, which is the order in which they are acknowledged. */
  Chunks underWay() {
    return underWay;
  }

  long underWayBytes() {
    return underWayBytes;
  }

  boolean takesMore() {
    return rail.isLive() && !underWay.isFull();
  }

  void posted(int slot, long offsetBytes, int lengthBytes, long nowNs) {
    if (underWay.size() == 0) {
      bytesPerNs = nowNs - lastNs > STALE_NS ? 0 : bytesPerNs;
      // Only time in which something was under way is measured.
      lastNs = nowNs;
    }
    underWay.add(slot, offsetBytes, lengthBytes);
    underWayBytes += lengthBytes;
  }

  /** The oldest chunk is at the peer. */
  void arrived(long nowNs) {
    int lengthBytes = underWay.lengthBytes();
    underWay.remove();
    underWayBytes -= lengthBytes;
    sampleBytes += lengthBytes;
    sampleNs += nowNs - lastNs;
    lastNs = nowNs;
    if (sampleNs >= SAMPLE_NS) {
      double sample = (double) sampleBytes / sampleNs;
      bytesPerNs = bytesPerNs == 0 ? sample : bytesPerNs + (sample - bytesPerNs) / SMOOTHING;
      sampleBytes = 0;
      sampleNs = 0;
    }
  }

  boolean isMeasured() {
    return bytesPerNs != 0;
  }

  /**
   * How long it would take for what is under way and so many bytes more, in nanoseconds; 0 while
   * its rate is not known, so that it is tried.
   */
  double takesNs(long moreBytes) {
    return bytesPerNs == 0 ? 0 : (underWayBytes + moreBytes) / bytesPerNs;
  }
}
