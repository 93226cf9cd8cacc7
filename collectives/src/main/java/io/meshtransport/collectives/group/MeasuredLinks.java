// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import io.meshtransport.collectives.plan.MeasuredRates;
import java.util.ArrayList;
import java.util.List;

/**
 * Makes of what all ranks measured one graph for the planner: of each link the slower direction and
 * the longer way. Has no state.
 */
final class MeasuredLinks {
  /**
   * What a notice takes over a cable in software, once both ends are compiled. A program that has
   * just begun measures up to a hundred times as much: what its compilers leave of the processors.
   */
  private static final long COMPILED_LATENCY_NS = 16_384;

  private MeasuredLinks() {}

  /**
   * @param opened the links of the group
   * @param measured of each rank: what it received over its links
   * @return with 0 for what nobody has measured; a link without a rate counts as the fastest
   */
  static List<JoinedGraph.Link> of(
      List<JoinedGraph.Link> opened, List<List<JoinedGraph.Link>> measured) {
    List<JoinedGraph.Link> links = shared(opened, measured);
    long fastest = links.stream().mapToLong(JoinedGraph.Link::bytesPerSecond).max().orElse(0);
    return sameLatency(
        links.stream()
            .map(
                each ->
                    each.measured(
                        each.bytesPerSecond() == 0 ? fastest : each.bytesPerSecond(),
                        each.latencyNs()))
            .toList());
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
            beside.joins(each.one(), each.other())
                && beside.bytesPerSecond() >= MeasuredRates.EQUAL * best;
        least = isUsed ? Math.min(least, beside.bytesPerSecond()) : least;
      }
      if (each.bytesPerSecond() >= MeasuredRates.EQUAL * best) {
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

  /**
   * The least of all links, where the planner's model has one latency for all; of cables not more
   * than software takes.
   */
  private static List<JoinedGraph.Link> sameLatency(List<JoinedGraph.Link> links) {
    long least =
        links.stream()
            .mapToLong(JoinedGraph.Link::latencyNs)
            .filter(each -> each > 0)
            .min()
            .orElse(0);
    boolean hasCables = links.stream().anyMatch(each -> !each.isRelayed());
    long all = hasCables ? Math.min(least, COMPILED_LATENCY_NS) : least;
    return links.stream().map(each -> each.measured(each.bytesPerSecond(), all)).toList();
  }
}
