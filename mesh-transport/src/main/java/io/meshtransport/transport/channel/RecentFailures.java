// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.channel;

import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import java.util.Arrays;

/**
 * Why the requests failed that failed last on a channel, by their numbers: a caller that learns of
 * a failure asks for its reason a moment later, when other requests may have failed and begun.
 * Allocates nothing until the first failure, and grows with the number of failures. Confined to the
 * channel's lock.
 */
final class RecentFailures {
  private final int max;
  private long[] numbers = {};
  private TransportException[] reasons = {};
  private int next;

  /**
   * @param max how many are kept
   */
  RecentFailures(int max) {
    this.max = max;
  }

  /** A request has failed. */
  void add(long number, TransportException why) {
    if (next == numbers.length) {
      grow();
    }
    numbers[next] = number;
    reasons[next] = why;
    next = (next + 1) % max;
  }

  private void grow() {
    int more = Math.min(max, Math.max(Transport.MAX_REQUESTS, 2 * next));
    numbers = Arrays.copyOf(numbers, more);
    reasons = Arrays.copyOf(reasons, more);
  }

  /**
   * Why a request failed.
   *
   * @throws IllegalArgumentException if it is none of those that are kept
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
            + max
            + " requests of this channel that have failed");
  }
}
