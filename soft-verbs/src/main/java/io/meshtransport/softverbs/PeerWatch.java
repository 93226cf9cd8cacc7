package io.meshtransport.softverbs;

/**
 * Tells a peer that is stopped from one that is gone. An adapter answers while the program behind
 * it is stopped; so does the peer's kernel, and the own kernel knows whether it did. Asked only
 * when an answer is overdue. Guarded by the device's lock.
 */
final class PeerWatch {
  /**
   * Where the kernel's word is not to be had, a peer is given up after this many times the
   * patience: the most that InfiniBand 1.4 section 9.7.6.1.3 allows an adapter to wait.
   */
  static final int BLIND_FACTOR = 4;

  /**
   * A row may be missing from one reading of a table that changes while it is read; after so many
   * readings without it in succession the kernel is taken not to tell.
   */
  private static final int MISSES_BELIEVED = 3;

  /** The connection that is watched. */
  interface Line extends KernelAcks.Question {
    /** How much was handed to the kernel since it stands. */
    long writtenBytes();
  }

  private static final Line NO_LINE =
      new Line() {
        @Override
        public boolean ask(KernelAcks.Row row) {
          return false;
        }

        @Override
        public long writtenBytes() {
          return 0;
        }
      };

  private final KernelAcks.Row now = new KernelAcks.Row();
  private Line line = NO_LINE;
  private boolean hasLooked;
  private long acknowledgedBefore;
  private int misses = MISSES_BELIEVED;

  /** From now on that is the connection. */
  void begin(Line newLine) {
    line = newLine;
    hasLooked = false;
  }

  /**
   * Remembers how things stand.
   *
   * @return whether the kernel waits for nothing, so that something must be sent to find out
   */
  boolean look() {
    hasLooked = ask();
    acknowledgedBefore = hasLooked ? acknowledged() : 0;
    return !hasLooked || now.unacknowledgedBytes == 0;
  }

  /** Whether the peer's kernel has been silent since the last look although ours asked it. */
  boolean isPeerGone(long silentNs, long patienceNs) {
    if (!ask()) {
      return misses >= MISSES_BELIEVED && silentNs >= BLIND_FACTOR * patienceNs;
    }
    return now.isProbingWindow ? ignoresProbes() : hasLooked && ignoresData();
  }

  private boolean ask() {
    boolean isKnown = line.ask(now);
    misses = isKnown ? 0 : misses + 1;
    return isKnown;
  }

  /**
   * A stopped peer's window is closed, but its kernel answers each probe, which sets the count back
   * to 0. One unanswered probe may just be under way.
   */
  private boolean ignoresProbes() {
    return now.unansweredProbes >= 2;
  }

  private boolean ignoresData() {
    return now.unacknowledgedBytes > 0
        && now.retransmits > 0
        && acknowledged() == acknowledgedBefore;
  }

  private long acknowledged() {
    return line.writtenBytes() - now.unacknowledgedBytes;
  }
}
