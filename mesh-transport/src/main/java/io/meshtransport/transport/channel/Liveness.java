// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.channel;

/**
 * When a channel reads the clock, and when a silent peer must be probed. Confined to the channel's
 * lock.
 */
public final class Liveness {
  /**
   * After so many polls that found something the clock is read all the same: a deadline must pass
   * on a busy channel too. Reading the clock costs less than such a batch.
   */
  private static final int BUSY_POLLS_PER_CLOCK = 16;

  /**
   * What is known of the peer.
   *
   * <pre>
   * HEARD <-> SILENT -> PROBED    SILENT -> HEARD: something completed
   *   ^                   |
   *   +-------------------+       the keepalive was answered; the send queue has space for one
   * </pre>
   */
  public enum Peer implements LifeCycleState<Peer> {
    HEARD,
    SILENT,
    PROBED;

    @Override
    public boolean mayBecome(Peer next) {
      return switch (next) {
        case HEARD -> this != HEARD;
        case SILENT -> this == HEARD;
        case PROBED -> this == SILENT;
      };
    }
  }

  private final long silenceNs;
  private Peer peer = Peer.HEARD;
  private int busyPolls;
  private long heardNs;

  /**
   * @param silenceNs how long a peer may be silent before it is probed
   */
  Liveness(long silenceNs) {
    this.silenceNs = silenceNs;
  }

  /**
   * Notes what a poll found.
   *
   * @return whether it is time to read the clock
   */
  boolean polled(int completions) {
    if (completions == 0) {
      return true;
    }
    if (peer == Peer.SILENT) {
      become(Peer.HEARD);
    }
    busyPolls++;
    if (busyPolls < BUSY_POLLS_PER_CLOCK) {
      return false;
    }
    busyPolls = 0;
    return true;
  }

  /**
   * Notes the time.
   *
   * @return whether the peer has been silent for too long and has not been probed yet
   */
  boolean mustProbe(long nowNs) {
    if (peer == Peer.HEARD) {
      become(Peer.SILENT);
      heardNs = nowNs;
    }
    return peer == Peer.SILENT && nowNs - heardNs > silenceNs;
  }

  /** Whether a keepalive is on its way and has no answer. */
  boolean isProbed() {
    return peer == Peer.PROBED;
  }

  /** A keepalive is on its way, after {@link #mustProbe}: no other until it is answered. */
  void probed() {
    become(Peer.PROBED);
  }

  /** A keepalive was answered, perhaps one that was sent for another reason than silence. */
  void answered() {
    if (peer != Peer.HEARD) {
      become(Peer.HEARD);
    }
  }

  private void become(Peer next) {
    peer = peer.next(next, this);
  }
}
