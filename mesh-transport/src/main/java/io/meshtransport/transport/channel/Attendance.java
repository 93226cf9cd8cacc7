// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.channel;

import io.meshtransport.spi.Route;

/**
 * The one {@link ChannelAttendant} that a channel has at any time, and whether it knows that the
 * channel needs progress. Confined to the channel's lock, except what says that any thread may call
 * it.
 */
public final class Attendance {
  private final Route route;
  private final Requests requests;
  private volatile ChannelAttendant attendant = ChannelAttendant.NONE;

  /** Whether the attendant knows that something waits for progress. */
  private boolean isDeferralKnown;

  Attendance(Route route, Requests requests) {
    this.route = route;
    this.requests = requests;
  }

  ChannelAttendant attendant() {
    return attendant;
  }

  /** Sets the first attendant, before anything happens on the channel. */
  void begin(ChannelAttendant first) {
    attendant = first;
    requests.attend(first);
  }

  /** From now on another one follows what happens on the channel; it knows of nothing yet. */
  void replace(ChannelAttendant next) {
    attendant.replaced();
    attendant = next;
    requests.attend(next);
    isDeferralKnown = false;
  }

  /** Whether a poller has the channel. Any thread. */
  boolean isPolled() {
    return attendant.isPoller();
  }

  /**
   * @throws IllegalStateException if a poller has the channel
   */
  void requireNoPoller() {
    if (isPolled()) {
      throw new IllegalStateException(
          route + ": this connection is at a poller, which reports the ends of its requests");
    }
  }

  /** Something waits that only {@link ChannelCore#progress} moves along: others may have to. */
  public void deferred() {
    if (!isDeferralKnown) {
      isDeferralKnown = true;
      attendant.deferred();
    }
  }

  /** As {@link ChannelAttendant#unsignaledPosted}. */
  public void unsignaledPosted() {
    attendant.unsignaledPosted();
  }

  /** As {@link ChannelAttendant#railsChanged}. */
  public void railsChanged() {
    attendant.railsChanged();
  }

  /**
   * The attendant has made progress itself, and learns so.
   *
   * @param isLeft whether something still waits; if not, the attendant hears of the next that does
   */
  void deferralSeen(boolean isLeft) {
    isDeferralKnown = isLeft;
  }
}
