// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

/**
 * How long sends, puts and gets took, in nanoseconds. A send is timed from isend until the sender
 * knows that the peer has every byte, a put or get from its call to its completion.
 *
 * <p>This is a sample: a channel times its first send and then one in four, and never two at a
 * time, so that timing costs next to nothing. Each value is exact to 64 ns or to a share of itself,
 * whichever is more: 1 % for NICs and peers ({@link Traffic}), 7 % for a single channel ({@link
 * SendChannel#latencies}), which saves memory. Anything above one minute counts as a minute.
 *
 * @param count sends timed; where it is 0, so are all others
 * @param minNs the shortest
 * @param meanNs the arithmetic mean
 * @param p50Ns half of them took at most this long
 * @param p90Ns 90 % took at most this long
 * @param p99Ns 99 % took at most this long
 * @param p999Ns 99.9 % took at most this long
 * @param maxNs the longest
 */
public record Latencies(
    long count,
    long minNs,
    long meanNs,
    long p50Ns,
    long p90Ns,
    long p99Ns,
    long p999Ns,
    long maxNs) {
  /** Nothing was timed. */
  public static final Latencies NONE = new Latencies(0, 0, 0, 0, 0, 0, 0, 0);

  @Override
  public String toString() {
    return count == 0
        ? "none timed"
        : "%,d timed: min %.1f, p50 %.1f, p99 %.1f, max %.1f us"
            .formatted(count, minNs / 1e3, p50Ns / 1e3, p99Ns / 1e3, maxNs / 1e3);
  }
}
