// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.plan;

import java.util.List;
import java.util.stream.LongStream;

/**
 * Rounds what was measured, so that a plan stays the same from run to run: the fastest link to one
 * of ten rates per decade, in bit/s, which the rates of network standards are among; the others to
 * sixteenths of the fastest, and below those to powers of two; latencies to powers of two. Cables
 * of one kind that measure 3 % apart are equal then.
 */
public final class MeasuredRates {
  /**
   * Preferred numbers of ISO 3, series R10: 1, 2.5, 10, 25, 40, 100 Gb/s and the like are among
   * them.
   */
  private static final double[] PREFERRED = {1, 1.25, 1.6, 2, 2.5, 3.15, 4, 5, 6.3, 8, 10};

  private static final int SHARES = 16;
  private static final int BITS = 8;

  private MeasuredRates() {}

  /**
   * The graph that plans are made for: all links have the least latency, since the model has one
   * for all, and what is left is rounded.
   */
  public static LinkGraph planned(LinkGraph graph) {
    long leastNs =
        graph.links().stream()
            .mapToLong(GraphLink::latencyNs)
            .filter(each -> each > 0)
            .min()
            .orElse(0);
    List<GraphLink> links =
        graph.links().stream()
            .map(each -> new GraphLink(each.one(), each.other(), each.bytesPerSecond(), leastNs))
            .toList();
    return quantised(new LinkGraph(graph.names(), links, graph.limits()));
  }

  /** The same graph with rounded numbers. */
  public static LinkGraph quantised(LinkGraph graph) {
    long fastest = graph.links().stream().mapToLong(GraphLink::bytesPerSecond).max().orElse(1);
    List<GraphLink> links =
        graph.links().stream()
            .map(
                each ->
                    new GraphLink(
                        each.one(),
                        each.other(),
                        rate(each.bytesPerSecond(), fastest),
                        powerOfTwo(each.latencyNs())))
            .toList();
    List<Long> limits =
        graph.limits().stream().map(each -> each == 0 ? 0 : rate(each, fastest)).toList();
    return new LinkGraph(graph.names(), links, limits);
  }

  private static long rate(long measured, long fastest) {
    long top = preferred(fastest);
    double share = (double) measured / fastest;
    if (share > 1) {
      return preferred(measured);
    }
    long sixteenths = Math.round(share * SHARES);
    if (sixteenths > 0) {
      return Math.max(1, top * sixteenths / SHARES);
    }
    double below = 1.0 / SHARES;
    while (below > share) {
      below /= 2;
    }
    return Math.max(1, (long) (top * below));
  }

  /** The nearest preferred number of bits, by ratio. */
  static long preferred(long bytesPerSecond) {
    double decade = 1;
    double bits = (double) bytesPerSecond * BITS;
    while (bits / decade >= PREFERRED[PREFERRED.length - 1]) {
      decade *= PREFERRED[PREFERRED.length - 1];
    }
    double best = PREFERRED[0];
    for (double each : PREFERRED) {
      if (distance(bits / decade, each) < distance(bits / decade, best)) {
        best = each;
      }
    }
    return Math.min(GraphLink.MAX_BYTES_PER_SECOND, Math.max(1, Math.round(best * decade / BITS)));
  }

  private static double distance(double one, double other) {
    return Math.max(one / other, other / one);
  }

  private static long powerOfTwo(long latencyNs) {
    return LongStream.iterate(1, each -> each <= GraphLink.MAX_LATENCY_NS / 2, each -> 2 * each)
        .boxed()
        .min((one, other) -> Double.compare(distance(one, latencyNs), distance(other, latencyNs)))
        .filter(each -> latencyNs > 0)
        .orElse(0L);
  }
}
