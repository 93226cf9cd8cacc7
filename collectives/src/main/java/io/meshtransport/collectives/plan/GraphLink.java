// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.plan;

import java.util.Comparator;

/**
 * A cable between two ranks, as fast in one direction as in the other, in both at once. A value.
 *
 * @param one the lower rank at its ends; the constructor swaps them if need be
 * @param other the higher rank
 * @param bytesPerSecond in each direction, 1 to {@value #MAX_BYTES_PER_SECOND}
 * @param latencyNs of a small message in one direction, 0 to {@value #MAX_LATENCY_NS}
 */
public record GraphLink(int one, int other, long bytesPerSecond, long latencyNs)
    implements Comparable<GraphLink> {
  /** 8 Pbit/s: sums over all links of a graph stay far from the limits of a long. */
  public static final long MAX_BYTES_PER_SECOND = 1_000_000_000_000_000L;

  /** 10 s: what takes longer is no cable. */
  public static final long MAX_LATENCY_NS = 10_000_000_000L;

  private static final Comparator<GraphLink> ORDER =
      Comparator.comparingInt(GraphLink::one)
          .thenComparingInt(GraphLink::other)
          .thenComparingLong(GraphLink::bytesPerSecond)
          .thenComparingLong(GraphLink::latencyNs);

  /** Checks the numbers and puts the lower rank first. */
  public GraphLink {
    if (one < 0 || other < 0 || one == other) {
      throw new IllegalArgumentException("a link needs two ranks: " + one + " and " + other);
    }
    if (bytesPerSecond < 1 || bytesPerSecond > MAX_BYTES_PER_SECOND) {
      throw new IllegalArgumentException(
          "link %d-%d: %d bytes/s is not within 1 to %d"
              .formatted(one, other, bytesPerSecond, MAX_BYTES_PER_SECOND));
    }
    if (latencyNs < 0 || latencyNs > MAX_LATENCY_NS) {
      throw new IllegalArgumentException(
          "link %d-%d: a latency of %d ns is not within 0 to %d"
              .formatted(one, other, latencyNs, MAX_LATENCY_NS));
    }
    int lower = Math.min(one, other);
    other = Math.max(one, other);
    one = lower;
  }

  @Override
  public int compareTo(GraphLink link) {
    return ORDER.compare(this, link);
  }
}
