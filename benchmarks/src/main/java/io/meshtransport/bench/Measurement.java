// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

/**
 * What one end has seen of a run.
 *
 * @param total messages of the whole run, the warm-up included: both ends must have the same
 * @param messages of the part that was measured; round trips, where they go back; 0 at an end that
 *     measures nothing
 * @param nanos that part took
 * @param verified messages of the whole run whose every byte this end has compared
 * @param medianMicros half a round trip; 0 for a stream
 * @param p99Micros the same, which one in a hundred exceeds
 */
public record Measurement(
    long total, long messages, long nanos, long verified, double medianMicros, double p99Micros) {
  private static final double NANOS_PER_SECOND = 1e9;

  /** Of an end that responds. */
  static Measurement ofResponder(long total, long verified) {
    return new Measurement(total, 0, 0, verified, 0, 0);
  }

  /** Messages per second. */
  public double rate() {
    return messages * NANOS_PER_SECOND / nanos;
  }
}
