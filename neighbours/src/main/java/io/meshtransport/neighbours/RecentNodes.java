// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours;

import io.meshtransport.handshake.NodeId;
import io.meshtransport.neighbours.adjacency.Adjacency;
import io.meshtransport.neighbours.adjacency.HelloInterface;
import io.meshtransport.neighbours.adjacency.Hellos;
import io.meshtransport.neighbours.finding.NodeView;
import io.meshtransport.neighbours.linkstate.MeshGraph;
import io.meshtransport.neighbours.wire.InterfaceEntry;
import io.meshtransport.neighbours.wire.NeighbourHello;
import io.meshtransport.neighbours.wire.NodeRecord;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * The nodes whose names are compared: those that are within reach now, and those that were lately.
 * Confined to the thread of the node.
 */
final class RecentNodes {
  /** How long a node counts as recent: a program that fails for its name is read about by then. */
  static final long RECENT_NS = TimeUnit.SECONDS.toNanos(60);

  /** Max nodes that are kept: as many again as a database has. The first reported is dropped. */
  static final int MAX = 512;

  /** Reported since the last comparison, which notes the time. */
  private static final long NOT_TIMED = -1;

  private final Supplier<NodeIdentity> self;
  private final Hellos hellos;
  private final Supplier<MeshGraph> graph;

  /** In the order of their first report. */
  private final Map<NodeId, Recent> recent = new LinkedHashMap<>();

  /**
   * @param graph of all nodes that are known
   */
  RecentNodes(Supplier<NodeIdentity> self, Hellos hellos, Supplier<MeshGraph> graph) {
    this.self = self;
    this.hellos = hellos;
    this.graph = graph;
  }

  private record Recent(NodeView node, long seenNs) {}

  /** A record of another node is reported, so that it was seen alive. */
  void reported(NodeRecord record) {
    if (record.interfaces().isEmpty()) {
      return;
    }
    recent.put(record.origin(), new Recent(view(record), NOT_TIMED));
    if (recent.size() > MAX) {
      recent.remove(recent.keySet().iterator().next());
    }
  }

  private static NodeView view(NodeRecord record) {
    return new NodeView(record.origin(), record.name(), record.interfaces());
  }

  /** The graph of the nodes within reach, for the other methods. */
  MeshGraph reachable() {
    return graph.get().reachableFrom(self.get().id());
  }

  /** Those within reach, this one included: by their records, or by their hellos until then. */
  Collection<NodeView> present(MeshGraph reachable) {
    Map<NodeId, NodeView> present = new HashMap<>();
    for (HelloInterface each : hellos.all()) {
      each.adjacencies().forEach(one -> present.merge(one.id().peer(), view(one), this::joined));
    }
    // A node that cannot be reached may be an earlier life of one that can, under another id.
    NodeIdentity own = self.get();
    reachable
        .nodes()
        .values()
        .forEach(each -> present.merge(each.origin(), view(each), RecentNodes::fuller));
    present.putIfAbsent(own.id(), new NodeView(own.id(), own.name(), List.of()));
    return present.values();
  }

  /** The last record of a node has no interfaces. */
  private static NodeView fuller(NodeView byHellos, NodeView byRecord) {
    return byRecord.interfaces().isEmpty() ? byHellos : byRecord;
  }

  private static NodeView view(Adjacency adjacency) {
    NeighbourHello hello = adjacency.hello();
    InterfaceEntry end =
        new InterfaceEntry(
            adjacency.id().peerInterfaceIndex(),
            hello.interfaceName(),
            hello.mtu(),
            hello.speedMbps(),
            hello.addresses().stream().limit(InterfaceEntry.MAX_ADDRESSES).toList());
    return new NodeView(adjacency.id().peer(), hello.name(), List.of(end));
  }

  private NodeView joined(NodeView one, NodeView other) {
    List<InterfaceEntry> interfaces = new ArrayList<>(one.interfaces());
    interfaces.addAll(other.interfaces());
    return new NodeView(one.node(), one.name(), interfaces);
  }

  /**
   * Those whose records were reported and that were within reach less than {@link #RECENT_NS} ago,
   * and this one.
   */
  Collection<NodeView> recent(MeshGraph reachable, long nowNs) {
    recent.replaceAll(
        (id, each) ->
            each.seenNs == NOT_TIMED || reachable.nodes().containsKey(id)
                ? new Recent(each.node, nowNs)
                : each);
    recent.values().removeIf(each -> nowNs - each.seenNs >= RECENT_NS);
    List<NodeView> nodes = new ArrayList<>(recent.values().stream().map(Recent::node).toList());
    NodeRecord own = reachable.nodes().get(self.get().id());
    if (own != null) {
      nodes.add(view(own));
    }
    return nodes;
  }
}
