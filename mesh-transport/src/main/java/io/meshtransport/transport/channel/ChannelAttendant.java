// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.channel;

import io.meshtransport.spi.TransportException;
import io.meshtransport.transport.endpoint.VerbsEndpoint;

/**
 * Follows what happens on one channel: the poller that it is at, or the transport's thread for what
 * no program polls. All calls come with the channel's lock, from any thread; they neither block nor
 * allocate, and acquire no other channel's lock.
 */
public interface ChannelAttendant {
  /** Does nothing: the program's own polls are all that moves the channel along. */
  ChannelAttendant NONE = new ChannelAttendant() {};

  /** Whether {@link #ended} reports the ends of requests, so that no test may. */
  default boolean isPoller() {
    return false;
  }

  /**
   * A request with a deadline has begun.
   *
   * @param deadlineNs clock of System.nanoTime
   */
  default void begun(long deadlineNs) {}

  /**
   * A request has ended, with its outcome in {@link Requests}; its slot is freed by {@code this}.
   */
  default void ended(int slot) {}

  /** A notice of the peer's is in {@link Arrivals#notices}. */
  default void noticed() {}

  /** A message for a multi-receive is in {@link Arrivals#messages}. */
  default void messageReceived() {}

  /** Something waits that only {@link ChannelCore#progress} moves along. */
  default void deferred() {}

  /**
   * An unsignaled send is under way: its end is known once a later work request is reported, or a
   * report is requested.
   */
  default void unsignaledPosted() {}

  /** Another endpoint is the channel's from now on. */
  default void joined(VerbsEndpoint endpoint) {}

  /** A rail is lost, or another is the primary: events of another endpoint count from now on. */
  default void railsChanged() {}

  /** Another one follows the channel from now on. */
  default void replaced() {}

  /** The channel can do no more: it has failed, or was closed. Called once or twice. */
  default void over(TransportException why) {}
}
