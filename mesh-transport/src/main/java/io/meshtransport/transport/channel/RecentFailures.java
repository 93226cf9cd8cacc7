// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.channel;

import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;

/**
 * Why the requests failed that failed last on a channel, by their numbers: a caller that learns of
 * a failure asks for its reason a moment later, when other requests may have failed and begun.
 * Holds nothing until the first failure. Confined to the channel's lock.
 */
final class RecentFailures {
  private long[] numbers = {};
  private TransportException[] reasons = {};
  private int next;

  /** A request has failed. */
  void add(long number, TransportException why) {
    if (numbers.length == 0) {
      numbers = new long[Transport.MAX_REQUESTS];
      reasons = new TransportException[Transport.MAX_REQUESTS];
    }
    numbers[next] = number;
    reasons[next] = why;
    next = (next + 1) % numbers.length;
  }

  /**
   * Why a request failed.
   *
   * @throws IllegalArgumentException if it is none of the last {@link Transport#MAX_REQUESTS}
   */
  TransportException of(long number) {
    for (int at = 0; at < numbers.length; at++) {
      if (numbers[at] == number && reasons[at] != null) {
        return reasons[at];
      }
    }
    throw new IllegalArgumentException(
        "request "
            + number
            + " is none of the last "
            + Transport.MAX_REQUESTS
            + " requests of this channel that have failed");
  }
}
