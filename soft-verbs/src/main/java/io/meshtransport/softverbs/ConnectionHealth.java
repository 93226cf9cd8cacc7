// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs;

/**
 * How a connection stands: when something came by it last, and what the own kernel knows of the
 * peer's. One answer of the kernel does for all wires of the connection, since to ask is to read a
 * table of the host. Guarded by the device's lock.
 */
final class ConnectionHealth {
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

  /**
   * How often TCP must have repeated in vain before silence counts: after 0.2, 0.6 and 1.4 s on a
   * cable. Any of them may have met the same hole.
   */
  private static final int REPEATS = 3;

  /** The same for a closed window, whose probes are as far apart. */
  private static final int WINDOW_PROBES = 2;

  /** The last of them must be so old: its answer may be on its way. */
  private static final long ANSWER_NS = 50_000_000L;

  /**
   * Where the kernel does not tell, or the host lives but the connection is silent, a peer is given
   * up after this many times the bound: the most that InfiniBand 1.4 section 9.7.6.1.3 allows an
   * adapter to wait.
   */
  static final int BLIND_FACTOR = 4;

  private final TcpAckState.Question question;
  private final TcpAckState.Row row = new TcpAckState.Row();
  private long heardNs;

  /** The last sign of life, whether we heard it or the kernel saw it. */
  private long aliveNs;

  /** When the peer's host last answered by another connection, if it did. */
  private long hostAnsweredNs;

  private boolean hasHostAnswered;

  /** Something was sent to find out since the peer was heard last, and when. */
  private boolean isProbed;

  private long probedNs;
  private boolean isInVain;
  private long inVainSinceNs;
  private long writtenBytes;
  private boolean hasAsked;
  private long askedNs;
  private long acknowledgedBytes;
  private boolean isProbeTaken;
  private int misses = MISSES_BELIEVED;

  /**
   * @param nowNs when the peer's kernel accepted the connection, or a moment later
   */
  ConnectionHealth(TcpAckState.Question question, long nowNs) {
    this.question = question;
    this.heardNs = nowNs;
    this.aliveNs = nowNs;
  }

  /** Something has come: the peer's host is alive. */
  void heard(long nowNs) {
    heardNs = nowNs;
    aliveNs = nowNs;
    isProbed = false;
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
      if (misses == 0) {
        judge(nowNs);
      }
    }
    return misses == 0;
  }

  private void judge(long nowNs) {
    // Of this very moment: later more will have been written than this row knows of.
    long acknowledgedBefore = acknowledgedBytes;
    acknowledgedBytes = writtenBytes - row.unacknowledgedBytes;
    if (acknowledgedBytes > acknowledgedBefore
        || row.isProbingWindow && row.unansweredProbes == 0) {
      aliveNs = nowNs;
    }
    boolean wasInVain = isInVain;
    isInVain = row.isProbingWindow ? row.unansweredProbes >= WINDOW_PROBES : isRepeating(REPEATS);
    inVainSinceNs = isInVain && wasInVain ? inVainSinceNs : nowNs;
  }

  /**
   * Finds out how the peer's host is: by a probe first, which a program that runs answers for some
   * microseconds; the kernel's table is read if nothing has come by the next look.
   *
   * @return whether something must be sent to find out
   */
  boolean look(long nowNs) {
    if (isHeardJustNow(nowNs)) {
      return false;
    }
    if (!isProbed) {
      isProbed = true;
      probedNs = nowNs;
      return true;
    }
    return nowNs - probedNs >= HOLDS_NS && (!ask(nowNs) || takeProbe());
  }

  /** How long ago the peer's host showed life last, as of the last look. */
  long silentNs(long nowNs) {
    return nowNs - aliveNs;
  }

  /** Another connection has shown that the peer's host lives. */
  void hostAnswered(long nowNs) {
    hasHostAnswered = true;
    hostAnsweredNs = nowNs;
  }

  /**
   * Whether the connection is silent though TCP has repeated twice or more: the last chance to hear
   * from the peer's host within the bound may be a {@link HostProbe}.
   */
  boolean isDoubtful() {
    return isRepeating(2) || ignoresProbes();
  }

  /**
   * Whether nothing of what TCP repeats is answered, and no other connection has shown within the
   * bound that the host lives; where the kernel does not tell, and where the host lives but this
   * connection stays silent, whether the silence is several times as long as its bound.
   *
   * @param silentNs how long who asks has waited: what came before it was owed anything does not
   *     count
   */
  boolean isIgnored(long nowNs, long silentNs, long boundNs) {
    if (!ask(nowNs)) {
      return misses >= MISSES_BELIEVED && silentNs >= BLIND_FACTOR * boundNs;
    }
    boolean doesHostLive = hasHostAnswered && nowNs - hostAnsweredNs < boundNs;
    return isInVain
        && nowNs - inVainSinceNs >= ANSWER_NS
        && (!doesHostLive || silentNs >= BLIND_FACTOR * boundNs);
  }

  /**
   * A stopped peer's window is closed, but its kernel answers each probe, which sets the count back
   * to 0. One unanswered probe may just be under way.
   */
  boolean ignoresProbes() {
    return row.isProbingWindow && row.unansweredProbes >= WINDOW_PROBES;
  }

  /** Whether something that the peer's kernel has not acknowledged was said so often again. */
  boolean isRepeating(int times) {
    return row.unacknowledgedBytes > 0 && row.retransmits >= times;
  }

  /**
   * Whether the kernel waits for nothing, so that something must be sent to find out. Only the
   * first who asks is told so, since what one sends does for all.
   */
  private boolean takeProbe() {
    boolean isFirst = row.unacknowledgedBytes == 0 && !isProbeTaken;
    isProbeTaken = true;
    return isFirst;
  }
}
