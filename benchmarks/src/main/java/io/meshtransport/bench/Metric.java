// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import java.util.function.ToDoubleFunction;

/**
 * One number of a run.
 *
 * @param isTime whether less is better
 * @param of what our ends have measured
 */
record Metric(String unit, boolean isTime, ToDoubleFunction<RunResult> of) {
  private static final double MEGA = 1e6;
  private static final double NANOS_PER_MICRO = 1e3;
  private static final double NANOS_PER_SECOND = 1e9;

  /** Half a round trip, the median. */
  static final Metric LATENCY = new Metric("us", true, result -> result.initiator().medianMicros());

  /** Messages per second. */
  static final Metric RATE = new Metric("messages/s", false, result -> result.initiator().rate());

  /** Calls per second, of all threads together. */
  static final Metric CALL_RATE = new Metric("calls/s", false, result -> result.initiator().rate());

  /** The time from a request to its reply that one call in a hundred exceeds. */
  static final Metric CALL_P99 =
      new Metric("us p99", true, result -> 2 * result.initiator().p99Micros());

  /** How long the measured part took. */
  static final Metric DURATION =
      new Metric("s", true, result -> result.initiator().nanos() / NANOS_PER_SECOND);

  /** Processor time of both ends together, compilers left out, for each message. */
  static final Metric PROCESSOR =
      new Metric(
          "CPU us/message",
          true,
          result -> result.processor().workNanos() / NANOS_PER_MICRO / result.initiator().total());

  /** Millions of bytes per second, as the initiator has sent them. */
  static Metric bandwidth(int messageBytes) {
    return new Metric("MB/s", false, result -> result.initiator().rate() * messageBytes / MEGA);
  }

  /** Millions of bytes per second, as the responder has received them. */
  static Metric bandwidthReceived(int messageBytes) {
    return new Metric("MB/s", false, result -> result.responder().rate() * messageBytes / MEGA);
  }
}
