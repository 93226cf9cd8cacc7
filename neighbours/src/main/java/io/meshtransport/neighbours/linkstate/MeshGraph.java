// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.linkstate;

import io.meshtransport.handshake.NodeId;
import io.meshtransport.neighbours.wire.LinkCondition;
import io.meshtransport.neighbours.wire.LinkEntry;
import io.meshtransport.neighbours.wire.NodeRecord;
import io.meshtransport.neighbours.wire.RecordVersion;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The nodes of a database and the cables between them. A cable counts if both ends list it, as in
 * OSPF (RFC 2328, 16.1 (2)(b)): one that is dead for one end is dead. Immutable; any thread.
 */
public final class MeshGraph {
  private final Map<NodeId, NodeRecord> nodes;
  private final List<MeshEdge> edges;

  private MeshGraph(Map<NodeId, NodeRecord> nodes, List<MeshEdge> edges) {
    this.nodes = Collections.unmodifiableMap(nodes);
    this.edges = List.copyOf(edges);
  }

  /** The graph of these records; nodes that have left are not in it. */
  public static MeshGraph of(Collection<NodeRecord> records) {
    Map<NodeId, NodeRecord> nodes = new TreeMap<>(RecordVersion.ID_ORDER);
    for (NodeRecord each : records) {
      if (!each.left()) {
        nodes.put(each.origin(), each);
      }
    }
    List<MeshEdge> edges = new ArrayList<>();
    for (NodeRecord each : nodes.values()) {
      for (LinkEntry link : each.links()) {
        NodeRecord peer = nodes.get(link.peer());
        boolean isUp = link.condition() == LinkCondition.UP;
        if (isUp
            && peer != null
            && RecordVersion.ID_ORDER.compare(each.origin(), peer.origin()) < 0) {
          peer.links().stream()
              .filter(back -> isBack(each.origin(), link, back))
              .forEach(back -> edges.add(edge(each.origin(), link, back)));
        }
      }
    }
    return new MeshGraph(nodes, edges);
  }

  private static boolean isBack(NodeId origin, LinkEntry link, LinkEntry back) {
    return back.condition() == LinkCondition.UP
        && back.peer().equals(origin)
        && back.interfaceIndex() == link.peerInterfaceIndex()
        && back.peerInterfaceIndex() == link.interfaceIndex();
  }

  private static MeshEdge edge(NodeId origin, LinkEntry link, LinkEntry back) {
    return new MeshEdge(
        origin,
        link.interfaceIndex(),
        link.peer(),
        link.peerInterfaceIndex(),
        minKnown(link.rateMbps(), back.rateMbps()),
        Math.max(link.latencyNs(), back.latencyNs()),
        minKnown(link.mtu(), back.mtu()));
  }

  private static int minKnown(int one, int other) {
    return one == 0 || other == 0 ? Math.max(one, other) : Math.min(one, other);
  }

  /** The records of all nodes, by id. */
  public Map<NodeId, NodeRecord> nodes() {
    return nodes;
  }

  /** All cables, each once. */
  public List<MeshEdge> edges() {
    return edges;
  }

  /**
   * The records of the nodes that paths lead to from these neighbours, their own included, without
   * the help of one node: what that says of its links is older than what it knows of them.
   */
  public Map<NodeId, NodeRecord> reachableOver(Set<NodeId> neighbours, NodeId without) {
    Set<NodeId> reached = new HashSet<>(neighbours);
    reached.remove(without);
    Deque<NodeId> border = new ArrayDeque<>(reached);
    while (!border.isEmpty()) {
      NodeId at = border.poll();
      for (MeshEdge edge : edges) {
        if (edge.touches(at) && !edge.touches(without) && reached.add(edge.peerOf(at))) {
          border.add(edge.peerOf(at));
        }
      }
    }
    Map<NodeId, NodeRecord> part = new TreeMap<>(RecordVersion.ID_ORDER);
    reached.stream().filter(nodes::containsKey).forEach(each -> part.put(each, nodes.get(each)));
    return part;
  }

  /** The part of this graph that a node can reach over cables, itself included. */
  public MeshGraph reachableFrom(NodeId node) {
    Set<NodeId> reached = new HashSet<>();
    Deque<NodeId> border = new ArrayDeque<>();
    if (nodes.containsKey(node)) {
      reached.add(node);
      border.add(node);
    }
    while (!border.isEmpty()) {
      NodeId at = border.poll();
      for (MeshEdge edge : edges) {
        if (edge.touches(at) && reached.add(edge.peerOf(at))) {
          border.add(edge.peerOf(at));
        }
      }
    }
    Map<NodeId, NodeRecord> part = new TreeMap<>(RecordVersion.ID_ORDER);
    nodes.forEach(
        (id, record) -> {
          if (reached.contains(id)) {
            part.put(id, record);
          }
        });
    return new MeshGraph(
        part, edges.stream().filter(each -> reached.contains(each.one())).toList());
  }
}
