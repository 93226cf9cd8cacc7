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
  /** Of the fastest: what is above may be noise, and costs less than unequal shares would. */
  private static final double EQUAL = 0.4;

  private MeasuredLinks() {}

  /**
   * @param opened the links of the group
   * @param measured of each rank: what it received over its links
   */
  static List<JoinedGraph.Link> of(
      List<JoinedGraph.Link> opened, List<List<JoinedGraph.Link>> measured) {
    List<JoinedGraph.Link> links = new ArrayList<>();
    long fastest = 0;
    for (JoinedGraph.Link each : shared(opened, measured)) {
      links.add(each);
      fastest = Math.max(fastest, each.bytesPerSecond());
    }
    long top = Long.highestOneBit(Math.max(1, fastest));
    List<JoinedGraph.Link> graph = new ArrayList<>();
    for (JoinedGraph.Link each : links) {
      double share = fastest == 0 ? 1 : (double) each.bytesPerSecond() / fastest;
      long rate = share >= EQUAL || each.bytesPerSecond() == 0 ? top : (long) (share * top);
      graph.add(each.measured(Math.max(1, rate), each.latencyNs()));
    }
    return sameLatency(graph);
  }

  /**
   * Streams share the cables between two ranks evenly: without those that are much slower than the
   * best, and each as fast as the slowest of the others.
   */
  private static List<JoinedGraph.Link> shared(
      List<JoinedGraph.Link> opened, List<List<JoinedGraph.Link>> measured) {
    List<JoinedGraph.Link> links = opened.stream().map(each -> worst(each, measured)).toList();
    List<JoinedGraph.Link> shared = new ArrayList<>();
    for (JoinedGraph.Link each : links) {
      long best = 0;
      for (JoinedGraph.Link beside : links) {
        boolean isBeside = beside.joins(each.one(), each.other());
        best = isBeside ? Math.max(best, beside.bytesPerSecond()) : best;
      }
      long least = best;
      for (JoinedGraph.Link beside : links) {
        boolean isUsed =
            beside.joins(each.one(), each.other()) && beside.bytesPerSecond() >= EQUAL * best;
        least = isUsed ? Math.min(least, beside.bytesPerSecond()) : least;
      }
      if (each.bytesPerSecond() >= EQUAL * best) {
        shared.add(each.measured(least, each.latencyNs()));
      }
    }
    return shared;
  }

  /** The slower direction, and the longer way. */
  private static JoinedGraph.Link worst(
      JoinedGraph.Link link, List<List<JoinedGraph.Link>> measured) {
    long rate = Long.MAX_VALUE;
    long latencyNs = 0;
    for (List<JoinedGraph.Link> of : measured) {
      for (JoinedGraph.Link each : of) {
        if (each.isSameCable(link)) {
          rate = each.bytesPerSecond() > 0 ? Math.min(rate, each.bytesPerSecond()) : rate;
          latencyNs = Math.max(latencyNs, each.latencyNs());
        }
      }
    }
    return link.measured(rate == Long.MAX_VALUE ? 0 : rate, latencyNs);
  }

  /** The least of all links, where the planner's model has one latency for all. */
  private static List<JoinedGraph.Link> sameLatency(List<JoinedGraph.Link> links) {
    long least =
        links.stream()
            .mapToLong(JoinedGraph.Link::latencyNs)
            .filter(each -> each > 0)
            .min()
            .orElse(0);
    return links.stream().map(each -> each.measured(each.bytesPerSecond(), least)).toList();
  }
}
