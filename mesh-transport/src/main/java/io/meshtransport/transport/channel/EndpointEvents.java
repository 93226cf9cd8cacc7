// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.channel;

import io.meshtransport.spi.TransportException;
import io.meshtransport.transport.endpoint.VerbsEndpoint;
import io.meshtransport.verbs.CompletionStatus;
import io.meshtransport.verbs.WorkCompletions;

/**
 * What the core of a channel hands to the part that speaks its wire: completions of its endpoints,
 * and what happens to its requests. A part for one direction implements it; for both directions one
 * that passes each event on by the kind of the work request or the slot would. All calls come with
 * the channel's lock.
 */
public interface EndpointEvents {
  /** A work request of the wire's own succeeded, on one of the channel's endpoints. */
  void completed(VerbsEndpoint from, int kind, int index, WorkCompletions batch, int position);

  /** Each completion of a batch was handed over: do at once what each of them gave cause for. */
  void batchCompleted(VerbsEndpoint from);

  /**
   * A work request failed.
   *
   * @param why what can be said of it on any wire
   * @return this, or what the wire can say better
   */
  TransportException failure(int kind, int slot, CompletionStatus status, TransportException why);

  /**
   * A caller queries a pending request: ask the device for a report, if nothing else reports it.
   */
  void queried(int slot);

  /** Whether requests are pending that the device reports only when asked. */
  default boolean awaitsReport() {
    return false;
  }

  /** Asks the device for a report of all of them. */
  default void requestReport() {
    // For those that the device reports by itself.
  }

  /** The deadline of a pending request has passed: end it, or break the channel. */
  void deadlinePassed(int slot);

  /** The channel is being closed: fail what the device knows nothing of. */
  void closing(TransportException why);

  /**
   * The endpoints have stopped: end the requests that have all they need, though an acknowledgement
   * had not come.
   */
  void stopped();

  /**
   * Sends GOODBYE; on closing behind everything that is under way, so that its arrival means that
   * everything arrived. {@link ChannelShutdown#goodbyeDelivered} ends the wait for it.
   *
   * @return false if it cannot be sent
   */
  boolean sendGoodbye(Goodbye goodbye);

  /** Whether something waits here that only {@link ChannelCore#progress} moves along. */
  boolean needsProgress();

  /**
   * Whether the peer may ask for something at any time that only {@link ChannelCore#progress}
   * answers.
   */
  default boolean answersPeer() {
    return false;
  }

  /** The channel is READY, and known to its transport. */
  default void opened() {}

  /** The program has polled notices of the peer's puts, or of its messages. */
  default void noticesPolled() {}

  /** Writes the length of each message of a request that succeeded. */
  void lengths(int slot, long[] into);
}
