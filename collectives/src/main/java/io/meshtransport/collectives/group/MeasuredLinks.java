// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import java.util.List;

/**
 * Makes of what all ranks measured one graph for the planner: of each link the slower direction and
 * the longer way. Has no state.
 */
final class MeasuredLinks {
  private MeasuredLinks() {}

  /**
   * @param opened the links of the group
   * @param measured of each rank: what it received over its links
   * @return with 0 for what nobody has measured; a link without a rate counts as the fastest
   */
  static List<JoinedGraph.Link> of(
      List<JoinedGraph.Link> opened, List<List<JoinedGraph.Link>> measured) {
    List<JoinedGraph.Link> links = opened.stream().map(each -> worst(each, measured)).toList();
    long fastest = links.stream().mapToLong(JoinedGraph.Link::bytesPerSecond).max().orElse(0);
    return links.stream()
        .map(
            each ->
                new JoinedGraph.Link(
                    each.one(),
                    each.other(),
                    each.bytesPerSecond() == 0 ? fastest : each.bytesPerSecond(),
                    each.latencyNs(),
                    each.isRelayed()))
        .toList();
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
}
