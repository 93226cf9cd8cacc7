// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.tcp;

import io.meshtransport.softverbs.host.TcpAckState;
import io.meshtransport.softverbs.rc.ResponseTimeout;

/**
 * Whether a connection's peer is alive: when something came by it last, and what the own kernel
 * knows of the peer's. One reading of the kernel's table serves all streams of the connection.
 * Guarded by the device's lock.
 */
final class ConnectionHealth {
  /**
   * How long a reading, or a sign of life, is as good as a new one: a connection costs fifty
   * readings a second at most. One reading takes 2 to 3 ms where the kernel's table is sized for
   * 262144 connections, however few there are.
   */
  static final long VALID_NS = 20_000_000L;

  /**
   * A row may be missing from one reading of a table that changes while it is read; after so many
   * readings without it in succession the kernel counts as one that does not report it.
   */
  static final int MAX_MISSES = 3;

  /**
   * How often TCP must have repeated in vain before silence counts: after 0.2, 0.6 and 1.4 s on a
   * cable. Any of them may have met the same hole.
   */
  private static final int REPEATS = 3;

  /** The same for a closed window, whose probes are as far apart. */
  private static final int WINDOW_PROBES = 2;

  /** The last of them must be this old: its answer may be on its way. */
  private static final long ANSWER_NS = 50_000_000L;

  private final TcpAckState.Query query;
  private final TcpAckState.Row row = new TcpAckState.Row();
  private long lastReceivedNs;

  /** The last sign of life, received here or seen by the kernel. */
  private long aliveNs;

  /** When the peer's host last answered by another connection, if it did. */
  private long hostAnsweredNs;

  private boolean hasHostAnswered;

  /** Whether a probe was sent since something came last, and when. */
  private boolean isProbed;

  private long probedNs;
  private boolean isUnanswered;
  private long unansweredSinceNs;
  private long writtenBytes;
  private boolean hasQueried;
  private long queriedNs;
  private long acknowledgedBytes;
  private boolean isProbeClaimed;
  private int misses = MAX_MISSES;

  /**
   * @param nowNs when the peer's kernel accepted the connection, or a moment later
   */
  ConnectionHealth(TcpAckState.Query query, long nowNs) {
    this.query = query;
    this.lastReceivedNs = nowNs;
    this.aliveNs = nowNs;
  }

  /** Something has come: the peer's host is alive. */
  void onReceived(long nowNs) {
    lastReceivedNs = nowNs;
    aliveNs = nowNs;
    isProbed = false;
  }

  long lastReceivedNs() {
    return lastReceivedNs;
  }

  /** Whether the peer has shown life so lately that no probe is needed. */
  boolean hasJustReceived(long nowNs) {
    return nowNs - lastReceivedNs < VALID_NS;
  }

  /** The bytes that the kernel has accepted since the connection was made. */
  void wrote(long totalBytes) {
    writtenBytes = totalBytes;
  }

  /**
   * Reads the kernel's table, unless that was done a moment ago.
   *
   * @param nowNs the same for all streams that are checked in one pass: they share a reading
   * @return whether the kernel reports the connection; the methods below are of use only if it does
   */
  boolean query(long nowNs) {
    if (!hasQueried || nowNs - queriedNs >= VALID_NS) {
      hasQueried = true;
      queriedNs = nowNs;
      isProbeClaimed = false;
      misses = query.read(row) ? 0 : misses + 1;
      if (misses == 0) {
        evaluate(nowNs);
      }
    }
    return misses == 0;
  }

  private void evaluate(long nowNs) {
    // Of this very moment: later more will have been written than this row counts.
    long acknowledgedBefore = acknowledgedBytes;
    acknowledgedBytes = writtenBytes - row.unacknowledgedBytes;
    if (acknowledgedBytes > acknowledgedBefore
        || row.isProbingWindow && row.unansweredProbes == 0) {
      aliveNs = nowNs;
    }
    boolean wasUnanswered = isUnanswered;
    isUnanswered =
        row.isProbingWindow ? row.unansweredProbes >= WINDOW_PROBES : isRepeating(REPEATS);
    unansweredSinceNs = isUnanswered && wasUnanswered ? unansweredSinceNs : nowNs;
  }

  /**
   * Checks the peer's host: by a probe first, which costs a running program some microseconds to
   * answer; the kernel's table is read if nothing has come by the next check.
   *
   * @return whether a probe must be sent
   */
  boolean check(long nowNs) {
    if (hasJustReceived(nowNs)) {
      return false;
    }
    if (!isProbed) {
      isProbed = true;
      probedNs = nowNs;
      return true;
    }
    return nowNs - probedNs >= VALID_NS && (!query(nowNs) || claimProbe());
  }

  /** How long ago the peer's host showed life last, as of the last check. */
  long silentNs(long nowNs) {
    return nowNs - aliveNs;
  }

  /** Another connection has shown that the peer's host lives. */
  void hostAnswered(long nowNs) {
    hasHostAnswered = true;
    hostAnsweredNs = nowNs;
  }

  /**
   * Whether the connection is silent though TCP has repeated twice or more: the last chance of a
   * sign of life within the bound may be a {@link HostProbe}.
   */
  boolean isDoubtful() {
    return isRepeating(2) || ignoresProbes();
  }

  /**
   * Whether nothing that TCP repeats is answered, and no other connection has shown within the
   * bound that the host lives; where the kernel does not report that, and where the host lives but
   * this connection stays silent, whether the silence is several times as long as its bound.
   *
   * @param silentNs how long the caller has waited: silence before the peer owed it an answer does
   *     not count
   */
  boolean isIgnored(long nowNs, long silentNs, long boundNs) {
    if (!query(nowNs)) {
      return misses >= MAX_MISSES && silentNs >= ResponseTimeout.BLIND_FACTOR * boundNs;
    }
    boolean doesHostLive = hasHostAnswered && nowNs - hostAnsweredNs < boundNs;
    return isUnanswered
        && nowNs - unansweredSinceNs >= ANSWER_NS
        && (!doesHostLive || silentNs >= ResponseTimeout.BLIND_FACTOR * boundNs);
  }

  /**
   * A stopped peer's window is closed, but its kernel answers each probe, which sets the count back
   * to 0. One unanswered probe may just be under way.
   */
  boolean ignoresProbes() {
    return row.isProbingWindow && row.unansweredProbes >= WINDOW_PROBES;
  }

  /** Whether TCP has repeated unacknowledged data so many times. */
  boolean isRepeating(int times) {
    return row.unacknowledgedBytes > 0 && row.retransmits >= times;
  }

  /**
   * Whether the kernel waits for no acknowledgement, so that a probe must be sent. True for the
   * first caller only, since one probe serves all streams.
   */
  private boolean claimProbe() {
    boolean isFirst = row.unacknowledgedBytes == 0 && !isProbeClaimed;
    isProbeClaimed = true;
    return isFirst;
  }
}
