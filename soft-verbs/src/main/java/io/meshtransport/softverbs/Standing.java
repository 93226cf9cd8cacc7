package io.meshtransport.softverbs;

/**
 * How a connection stands: when something came by it last, and what the own kernel knows of the
 * peer's. One answer of the kernel does for all wires of the connection, since to ask is to read a
 * table of the host. Guarded by the device's lock.
 */
final class Standing {
  /**
   * How long an answer, or a sign of life, is as good as a new one: a connection costs fifty
   * readings a second at most. One reading takes 2 to 3 ms where the kernel's table has room for
   * 262144 connections, however few there are.
   */
  static final long HOLDS_NS = 20_000_000L;

  /**
   * A row may be missing from one reading of a table that changes while it is read; after so many
   * readings without it in succession the kernel is taken not to tell.
   */
  static final int MISSES_BELIEVED = 3;

  private final KernelAcks.Question question;
  private final KernelAcks.Row row = new KernelAcks.Row();
  private long heardNs;
  private long writtenBytes;
  private boolean hasAsked;
  private long askedNs;
  private long acknowledgedBytes;
  private boolean isProbeTaken;
  private int misses = MISSES_BELIEVED;

  /**
   * @param nowNs when the peer's kernel accepted the connection, or a moment later
   */
  Standing(KernelAcks.Question question, long nowNs) {
    this.question = question;
    this.heardNs = nowNs;
  }

  /** Something has come: the peer's host is alive. */
  void heard(long nowNs) {
    heardNs = nowNs;
  }

  long heardNs() {
    return heardNs;
  }

  /** Whether the peer has shown life so lately that nobody need be asked. */
  boolean isHeardJustNow(long nowNs) {
    return nowNs - heardNs < HOLDS_NS;
  }

  /** So much was handed to the kernel since the connection stands. */
  void wrote(long totalBytes) {
    writtenBytes = totalBytes;
  }

  // --- the kernel's word

  /**
   * Asks the kernel, unless it has answered a moment ago.
   *
   * @param nowNs the same for all that are looked after in one go: they share an answer
   * @return whether it tells; what follows is of use only if it does
   */
  boolean ask(long nowNs) {
    if (!hasAsked || nowNs - askedNs >= HOLDS_NS) {
      hasAsked = true;
      askedNs = nowNs;
      isProbeTaken = false;
      misses = question.ask(row) ? 0 : misses + 1;
      // Of this very moment: later more will have been written than this row knows of.
      acknowledgedBytes = writtenBytes - row.unacknowledgedBytes;
    }
    return misses == 0;
  }

  /** When the kernel was asked last. */
  long askedNs() {
    return askedNs;
  }

  /** Whether the kernel is taken not to tell, as against a row that was missed. */
  boolean isUntold() {
    return misses >= MISSES_BELIEVED;
  }

  /** How much the peer's kernel has acknowledged since the connection stands. */
  long acknowledgedBytes() {
    return acknowledgedBytes;
  }

  boolean isProbingWindow() {
    return row.isProbingWindow;
  }

  /**
   * A stopped peer's window is closed, but its kernel answers each probe, which sets the count back
   * to 0. One unanswered probe may just be under way.
   */
  boolean ignoresProbes() {
    return row.isProbingWindow && row.unansweredProbes >= 2;
  }

  /** Whether something that the peer's kernel has not acknowledged was said so often again. */
  boolean isRepeating(int times) {
    return row.unacknowledgedBytes > 0 && row.retransmits >= times;
  }

  /**
   * Whether the kernel waits for nothing, so that something must be sent to find out. Only the
   * first who asks is told so, since what one sends does for all.
   */
  boolean takeProbe() {
    boolean isFirst = row.unacknowledgedBytes == 0 && !isProbeTaken;
    isProbeTaken = true;
    return isFirst;
  }
}
