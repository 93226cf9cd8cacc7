// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

/**
 * How long sends took, from isend until the sender knew that the peer has every byte, and puts and
 * gets from their beginning to their end. Nanoseconds, within 64 ns or a share of the number: 1 %
 * for NICs and peers ({@link Traffic}), 7 % for a single channel ({@link SendChannel#latencies}),
 * where little memory is worth more. What took longer than a minute counts as a minute. A sample: a
 * channel times its first send and then one in four, and never two at a time, so that timing costs
 * next to nothing.
 *
 * @param timed sends timed; 0 makes all others 0
 */
public record Latencies(
    long timed,
    long leastNs,
    long meanNs,
    long halfNs,
    long ninetyNs,
    long ninetyNineNs,
    long ninetyNinePointNineNs,
    long mostNs) {
  /** Nothing was timed. */
  public static final Latencies NONE = new Latencies(0, 0, 0, 0, 0, 0, 0, 0);

  @Override
  public String toString() {
    return timed == 0
        ? "none timed"
        : "%,d timed: least %.1f, half within %.1f, 99 %% within %.1f, most %.1f us"
            .formatted(timed, leastNs / 1e3, halfNs / 1e3, ninetyNineNs / 1e3, mostNs / 1e3);
  }
}
