// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import java.util.function.ToDoubleFunction;

/**
 * One number of a run.
 *
 * @param isTime whether less is better
 * @param of what our ends have measured
 */
record Figure(String unit, boolean isTime, ToDoubleFunction<Measurement> of) {
  private static final double MEGA = 1e6;

  /** Half a round trip, the median. */
  static final Figure LATENCY = new Figure("us", true, Measurement::medianMicros);

  /** Messages per second. */
  static final Figure RATE = new Figure("messages/s", false, Measurement::rate);

  /** Millions of bytes per second. */
  static Figure bandwidth(int messageBytes) {
    return new Figure("MB/s", false, all -> all.rate() * messageBytes / MEGA);
  }
}
