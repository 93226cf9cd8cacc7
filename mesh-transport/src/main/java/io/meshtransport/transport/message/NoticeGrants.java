// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.message;

import io.meshtransport.transport.channel.ChannelCore;

/**
 * How many notices of a kind the peer may send: a credit says so in advance, so that the peer never
 * sends one without a receive, and a program that does not poll has a bounded number of them. There
 * is one credit under way at a time, for which the peer has one receive. Confined to the channel's
 * lock.
 */
final class NoticeGrants {
  private final ChannelCore core;
  private final ControlPath control;
  private final int kind;
  private final int buffer;
  private final int most;

  /** Notices since the connection began. */
  private long received;

  /** Notices that the peer may send since the connection began. */
  private long limit;

  /** As {@link #limit} before the last credit: a notice beyond proves that it was read. */
  private long limitBefore = -1;

  private boolean isInFlight;

  /**
   * @param kind of the control message that has the credit
   * @param buffer of that
   * @param first notices that the peer may send before there was any credit
   * @param most notices that the program may leave unpolled
   */
  NoticeGrants(ChannelCore core, ControlPath control, int kind, int buffer, int first, int most) {
    this.core = core;
    this.control = control;
    this.kind = kind;
    this.buffer = buffer;
    this.limit = first;
    this.most = most;
  }

  /** Notices since the connection began. */
  long received() {
    return received;
  }

  /** A notice has come; whether a correct peer may send it now. */
  boolean receive() {
    if (received == limit) {
      return false;
    }
    received++;
    return true;
  }

  /** Whether a credit is due, and the peer has read the one before. */
  boolean isDue(int unpolled) {
    long next = received - unpolled + most;
    return received > limitBefore
        && next - limit >= most / 2
        && !isInFlight
        && core.status.isReady();
  }

  /** Sends a credit, for whose notices there are receives. */
  void send(int unpolled) {
    limitBefore = limit;
    limit = received - unpolled + most;
    isInFlight = true;
    control.sendNumber(kind, 0, 0, buffer, limit);
  }

  /** The peer's device has the credit. */
  void delivered() {
    isInFlight = false;
  }
}
