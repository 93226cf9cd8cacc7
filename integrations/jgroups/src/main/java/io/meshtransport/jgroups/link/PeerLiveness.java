// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.link;

/**
 * What the connections and the directory messages of one link say about whether its peer is alive.
 * Confined to the link's lock.
 */
final class PeerLiveness {
  /** What is known of a peer since a probe. */
  enum Verdict {
    /** Neither a success nor a failure so far. */
    UNKNOWN,
    /** A channel was opened, or a message was delivered that was sent after the probe. */
    ALIVE,
    /** A dial failed, or the channel broke. */
    UNREACHABLE
  }

  /**
   * A probe of the peer, sent at a moment.
   *
   * @param opens channels opened before it
   * @param failures dials that had failed and channels that had broken before it
   * @param delivered directory messages delivered in all once one is that was begun after it
   */
  record Probe(long opens, long failures, long delivered) {}

  private long opens;
  private long failures;

  /** A channel to the peer was opened. */
  void opened() {
    opens++;
  }

  /** A dial failed, or the channel broke. */
  void failed() {
    failures++;
  }

  /**
   * @param delivered directory messages that the peer has received so far
   * @param isOneInFlight whether one is in flight: its delivery proves nothing of the time from now
   *     on
   */
  Probe probe(long delivered, boolean isOneInFlight) {
    return new Probe(opens, failures, delivered + (isOneInFlight ? 2 : 1));
  }

  /**
   * @param delivered directory messages that the peer has received so far
   */
  Verdict verdict(Probe probe, long delivered) {
    if (opens > probe.opens() || delivered >= probe.delivered()) {
      return Verdict.ALIVE;
    }
    return failures > probe.failures() ? Verdict.UNREACHABLE : Verdict.UNKNOWN;
  }
}
