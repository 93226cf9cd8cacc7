// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import java.time.Duration;
import java.util.function.LongSupplier;

/** The blocking forms on top of requests that never block. Holds nothing. */
final class Blocking {
  private static final Duration MOMENT = Duration.ofMillis(10);

  private Blocking() {}

  /**
   * Begins a request and waits for its end. The request carries its own deadline, so it ends even
   * where this wait is the shorter one.
   */
  static long finish(Channel channel, LongSupplier begin, Duration timeout)
      throws TransportException {
    long request = begin.getAsLong();
    if (request == Channel.BUSY) {
      throw new TransportException(
          TransportException.Reason.BUSY,
          channel.route()
              + ": "
              + Transport.MAX_REQUESTS
              + " requests are outstanding, or all bounce buffers are in use. Test some of them, then try again.");
    }
    if (request == Channel.FAILED) {
      throw channel.failure();
    }
    long outcome = channel.await(request, timeout);
    while (outcome == Channel.PENDING) {
      if (Thread.currentThread().isInterrupted()) {
        channel.detach(request);
        throw new TransportException(
            TransportException.Reason.INTERRUPTED,
            channel.route()
                + ": the waiting thread was interrupted; the request goes on until its deadline.");
      }
      // The request's own deadline has passed by now or does so in a moment; its end may take a
      // moment more, in which the peer is told.
      outcome = channel.await(request, MOMENT);
    }
    if (outcome == Channel.FAILED) {
      throw channel.failure();
    }
    return outcome;
  }

  /** Nanoseconds of a duration; one that is too long for that is no deadline at all. */
  static long nanos(Duration timeout) {
    try {
      return timeout.toNanos();
    } catch (ArithmeticException e) {
      return timeout.isNegative() ? 0 : SendChannel.NO_DEADLINE;
    }
  }
}
