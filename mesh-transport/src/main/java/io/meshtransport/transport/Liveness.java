// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

/**
 * When to look at the clock, and when a silent peer must be asked whether it is alive. Confined to
 * the channel's lock.
 */
final class Liveness {
  /**
   * After so many polls that found something the clock is looked at all the same: a deadline must
   * pass on a busy channel too. Reading the clock costs less than such a batch.
   */
  private static final int BUSY_POLLS_PER_LOOK = 16;

  /**
   *
   *
   * <pre>
   * HEARD <-> QUIET -> ASKED    QUIET -> HEARD: something completed
   *   ^                  |
   *   +------------------+      the question was answered; there is room for one in the send queue
   * </pre>
   */
  private enum Peer {
    HEARD,
    QUIET,
    ASKED
  }

  private final long silenceNs;
  private Peer peer = Peer.HEARD;
  private int busyPolls;
  private long heardNs;

  /**
   * @param silenceNs how long a peer may be silent before it is asked
   */
  Liveness(long silenceNs) {
    this.silenceNs = silenceNs;
  }

  /**
   * Notes what a poll found.
   *
   * @return whether it is time to look at the clock
   */
  boolean polled(int completions) {
    if (completions == 0) {
      return true;
    }
    if (peer == Peer.QUIET) {
      peer = Peer.HEARD;
    }
    busyPolls++;
    if (busyPolls < BUSY_POLLS_PER_LOOK) {
      return false;
    }
    busyPolls = 0;
    return true;
  }

  /**
   * Looks at the clock.
   *
   * @return whether the peer has been silent for too long and has not been asked yet
   */
  boolean mustAsk(long nowNs) {
    if (peer == Peer.HEARD) {
      peer = Peer.QUIET;
      heardNs = nowNs;
    }
    return peer == Peer.QUIET && nowNs - heardNs > silenceNs;
  }

  /** Whether a question is on its way, and nothing has answered it. */
  boolean isAsked() {
    return peer == Peer.ASKED;
  }

  /** The question is on its way: no other until it is answered. */
  void asked() {
    peer = Peer.ASKED;
  }

  void answered() {
    peer = Peer.HEARD;
  }
}
