// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.sim;

/**
 * What every cable of a simulated fabric is like.
 *
 * @param delayNs from one end to the other
 * @param jitterNs up to this much more, drawn for each frame; frames still keep their order
 * @param bytesPerSecond how fast a frame goes in
 */
public record SimulatedCable(long delayNs, long jitterNs, long bytesPerSecond) {
  public SimulatedCable {
    if (delayNs < 1 || jitterNs < 0 || bytesPerSecond < 1) {
      throw new IllegalArgumentException(
          "a cable needs a delay of at least 1 ns, jitter of at least 0 and a speed: "
              + delayNs
              + " ns, "
              + jitterNs
              + " ns, "
              + bytesPerSecond
              + " B/s");
    }
  }

  /** A short cable at 100 Gb/s. */
  public static SimulatedCable usual() {
    return new SimulatedCable(1_000, 500, 12_500_000_000L);
  }

  long serialisationNs(int bytes) {
    return (long) (bytes * 1e9 / bytesPerSecond);
  }
}
