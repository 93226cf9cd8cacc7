// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import java.util.function.ToDoubleFunction;

/**
 * One number of a run.
 *
 * @param isTime whether less is better
 * @param of what our ends have measured
 */
record Metric(String unit, boolean isTime, ToDoubleFunction<Measurement> of) {
  private static final double MEGA = 1e6;

  /** Half a round trip, the median. */
  static final Metric LATENCY = new Metric("us", true, Measurement::medianMicros);

  /** Messages per second. */
  static final Metric RATE = new Metric("messages/s", false, Measurement::rate);

  /** Millions of bytes per second. */
  static Metric bandwidth(int messageBytes) {
    return new Metric("MB/s", false, all -> all.rate() * messageBytes / MEGA);
  }
}
