// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.channel;

import io.meshtransport.spi.TransportException;
import io.meshtransport.transport.endpoint.VerbsEndpoint;
import java.util.function.Consumer;

/**
 * The endpoints of one channel: {@link SingleEndpoint}, or several rails ({@code RailSet}). Called
 * by {@link ChannelCore} and its parts, which poll the primary themselves. Confined to the
 * channel's lock.
 */
public interface ChannelEndpoints {
  /**
   * Polls the endpoints beside the primary, where there are any.
   *
   * @return how many completions there were
   */
  int pollOthers();

  /** A work request failed, and with it the endpoint it was posted on. */
  void requestFailed(VerbsEndpoint from, int kind, TransportException why);

  /** An endpoint can do no more: the end of a channel that has no other. */
  void endpointFailed(VerbsEndpoint from, TransportException why);

  /** The peer has answered a keepalive. */
  void keepaliveAnswered(VerbsEndpoint from);

  /** Sends a keepalive on each endpoint. */
  void sendKeepalives();

  /** Fails each endpoint whose keepalive has no answer and whose port has lacked a carrier. */
  void failWithoutCarrier(long nowNs);

  /**
   * Fails each endpoint on an interface whose cable to the peer is cut, unless it is the last.
   *
   * @param why of each
   */
  void cableCut(int interfaceIndex, TransportException why);

  /** Stops everything that still runs. */
  void stop(Exception context);

  /** Does something with each endpoint that there is or was and that has not been discarded. */
  void forEach(Consumer<VerbsEndpoint> action);

  /** An event is requested of each endpoint: the next poll must be of all of them. */
  default void allArmed() {}

  /** The endpoint whose completions wake a waiter. */
  VerbsEndpoint endpointToParkOn();

  /**
   * How long a waiter may park without a poll of the endpoints that do not wake it.
   *
   * @param silenceNs the longest for an endpoint that does
   */
  long longestParkNs(long silenceNs);
}
