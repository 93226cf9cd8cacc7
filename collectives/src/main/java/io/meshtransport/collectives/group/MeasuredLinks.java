// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import java.util.ArrayList;
import java.util.List;

/**
 * Makes of what all ranks measured one graph for the planner. Ranks measure at the same time, on
 * hosts that may be busy, so links that are not much slower than the others count as equal: trees
 * of equal cables are the same in every run. Has no state.
 */
final class MeasuredLinks {
  /** Of the fastest: what is above is noise, as no cable is made that is 1.4 times as fast. */
  private static final double EQUAL = 0.55;

  private MeasuredLinks() {}

  /**
   * @param opened the links of the group
   * @param measured of each rank: what it received over its links
   */
  static List<JoinedGraph.Link> of(
      List<JoinedGraph.Link> opened, List<List<JoinedGraph.Link>> measured) {
    List<JoinedGraph.Link> links = new ArrayList<>();
    long fastest = 0;
    for (JoinedGraph.Link each : opened) {
      JoinedGraph.Link known = worst(each, measured);
      links.add(known);
      fastest = Math.max(fastest, known.bytesPerSecond());
    }
    long top = Long.highestOneBit(Math.max(1, fastest));
    List<JoinedGraph.Link> graph = new ArrayList<>();
    for (JoinedGraph.Link each : links) {
      double share = fastest == 0 ? 1 : (double) each.bytesPerSecond() / fastest;
      long rate = share >= EQUAL || each.bytesPerSecond() == 0 ? top : (long) (share * top);
      graph.add(
          new JoinedGraph.Link(
              each.one(), each.other(), Math.max(1, rate), each.latencyNs(), each.isRelayed()));
    }
    return sameLatency(graph);
  }

  /** The slower direction, and the longer way. */
  private static JoinedGraph.Link worst(
      JoinedGraph.Link link, List<List<JoinedGraph.Link>> measured) {
    long rate = Long.MAX_VALUE;
    long latencyNs = 0;
    for (List<JoinedGraph.Link> of : measured) {
      for (JoinedGraph.Link each : of) {
        if (each.one() == link.one() && each.other() == link.other()) {
          rate = each.bytesPerSecond() > 0 ? Math.min(rate, each.bytesPerSecond()) : rate;
          latencyNs = Math.max(latencyNs, each.latencyNs());
        }
      }
    }
    return new JoinedGraph.Link(
        link.one(), link.other(), rate == Long.MAX_VALUE ? 0 : rate, latencyNs, link.isRelayed());
  }

  /** The least of all links, where the planner's model has one latency for all. */
  private static List<JoinedGraph.Link> sameLatency(List<JoinedGraph.Link> links) {
    long least =
        links.stream()
            .mapToLong(JoinedGraph.Link::latencyNs)
            .filter(each -> each > 0)
            .min()
            .orElse(0);
    return links.stream()
        .map(
            each ->
                new JoinedGraph.Link(
                    each.one(), each.other(), each.bytesPerSecond(), least, each.isRelayed()))
        .toList();
  }
}
