// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli.plan;

import io.meshtransport.collectives.plan.GraphLink;
import io.meshtransport.collectives.plan.LinkGraph;
import io.meshtransport.collectives.plan.MeasuredRates;
import io.meshtransport.neighbours.map.CableState;
import io.meshtransport.neighbours.map.MapCable;
import io.meshtransport.neighbours.map.MapNode;
import io.meshtransport.neighbours.map.MeshMap;
import io.meshtransport.neighbours.verdict.NodeState;
import java.io.IOException;
import java.util.List;

/**
 * The graph of a mesh as it is now, as its group plans for it: nodes that live, cables that are up.
 */
public final class MapGraph {
  /** Where a node does not say how fast its interface is, as virtual ones: 10 Gbit/s. */
  private static final long UNKNOWN_BYTES_PER_SECOND = 1_250_000_000L;

  private static final long BYTES_OF_MEGABIT = 125_000L;

  private MapGraph() {}

  /**
   * The graph of a map; ranks are in the order of the nodes' labels.
   *
   * @throws IOException if cables do not join the nodes, with the parts
   */
  public static LinkGraph of(MeshMap map) throws IOException {
    List<MapNode> nodes =
        map.nodes().stream().filter(each -> each.state() == NodeState.ALIVE).toList();
    List<String> ids = nodes.stream().map(MapNode::id).toList();
    List<GraphLink> links =
        map.cables().stream()
            .filter(each -> each.state() == CableState.UP)
            .filter(each -> ids.contains(each.one().node()) && ids.contains(each.other().node()))
            .filter(each -> !each.one().node().equals(each.other().node()))
            .map(
                each ->
                    new GraphLink(
                        ids.indexOf(each.one().node()),
                        ids.indexOf(each.other().node()),
                        rate(each),
                        each.latencyNs()))
            .toList();
    try {
      return MeasuredRates.planned(
          new LinkGraph(nodes.stream().map(MapNode::label).toList(), links));
    } catch (IllegalArgumentException e) {
      throw new IOException("no plan for this mesh: " + e.getMessage(), e);
    }
  }

  private static long rate(MapCable cable) {
    return cable.rateMbps() > 0 ? cable.rateMbps() * BYTES_OF_MEGABIT : UNKNOWN_BYTES_PER_SECOND;
  }
}
