// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

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

  /**
   * Of the fastest: a link above that whose measurements disagree counts as equal to it. What
   * disturbs a measurement makes its rate less, and a host may be busy.
   */
  private static final double MAYBE_EQUAL = 0.4;

  /** As {@link #MAYBE_EQUAL}, of a link whose measurements agree: they do to as much. */
  private static final double EQUAL = 0.9;

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
   * The links that a plan is made for: those that are as fast as the fastest, or may be, have its
   * rate. So equal cables have equal shares in every run, on a busy host too, and one that is
   * limited has its own.
   */
  static List<JoinedGraph.Link> equalised(List<JoinedGraph.Link> links) {
    long fastest = links.stream().mapToLong(JoinedGraph.Link::bytesPerSecond).max().orElse(0);
    return links.stream()
        .map(
            each ->
                each.bytesPerSecond() >= (each.isSteady() ? EQUAL : MAYBE_EQUAL) * fastest
                    ? each.measured(fastest, each.latencyNs())
                    : each)
        .toList();
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
      JoinedGraph.Link slowest = each;
      for (JoinedGraph.Link beside : links) {
        boolean isUsed =
            beside.joins(each.one(), each.other()) && beside.bytesPerSecond() >= MAYBE_EQUAL * best;
        slowest = isUsed && beside.bytesPerSecond() < slowest.bytesPerSecond() ? beside : slowest;
      }
      if (each.bytesPerSecond() >= MAYBE_EQUAL * best) {
        shared.add(
            each.measured(slowest.bytesPerSecond(), each.latencyNs()).steady(slowest.isSteady()));
      }
    }
    return shared;
  }

  /** The slower direction, and the longer way; steady if both are. */
  private static JoinedGraph.Link worst(
      JoinedGraph.Link link, List<List<JoinedGraph.Link>> measured) {
    long rate = Long.MAX_VALUE;
    long latencyNs = 0;
    boolean isSteady = true;
    for (List<JoinedGraph.Link> of : measured) {
      for (JoinedGraph.Link each : of) {
        if (each.isSameCable(link)) {
          rate = each.bytesPerSecond() > 0 ? Math.min(rate, each.bytesPerSecond()) : rate;
          latencyNs = Math.max(latencyNs, each.latencyNs());
          isSteady &= each.isSteady();
        }
      }
    }
    boolean isMeasured = rate < Long.MAX_VALUE;
    return link.measured(isMeasured ? rate : 0, latencyNs).steady(isMeasured && isSteady);
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
