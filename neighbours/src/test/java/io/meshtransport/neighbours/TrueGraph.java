// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours;

import io.meshtransport.handshake.NodeId;
import io.meshtransport.neighbours.SimulatedMesh.Node;
import io.meshtransport.neighbours.SimulatedMesh.SimulatedCable;
import io.meshtransport.neighbours.SimulatedMesh.SimulatedEnd;
import io.meshtransport.neighbours.linkstate.MeshEdge;
import io.meshtransport.neighbours.linkstate.MeshGraph;
import io.meshtransport.neighbours.wire.NodeRecord;
import io.meshtransport.neighbours.wire.RecordVersion;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/** The graph that the cables of a simulated mesh really make, to compare what nodes know with. */
final class TrueGraph {
  /** A cable without its rate. */
  private record Ends(NodeId one, int oneInterface, NodeId other, int otherInterface) {}

  private TrueGraph() {}

  /** Cables of a random connected graph: a random tree, and some more; at most eight per node. */
  static void connect(SimulatedMesh mesh, int nodes, int extra, Random random) {
    for (int i = 0; i < nodes; i++) {
      mesh.node("n" + i);
    }
    List<Node> order = new ArrayList<>(mesh.nodes);
    Collections.shuffle(order, random);
    for (int i = 1; i < nodes; i++) {
      Node other = order.get(random.nextInt(i));
      while (other.ends.size() >= 8) {
        other = order.get(random.nextInt(i));
      }
      mesh.connect(order.get(i), other);
    }
    for (int i = 0; i < extra; i++) {
      Node one = mesh.nodes.get(random.nextInt(nodes));
      Node other = mesh.nodes.get(random.nextInt(nodes));
      if (one != other && one.ends.size() < 8 && other.ends.size() < 8) {
        mesh.connect(one, other);
      }
    }
  }

  private static boolean works(SimulatedCable cable) {
    return !cable.isCut
        && cable.deafEnd == null
        && cable.ends.stream().allMatch(each -> each.node.program != null && each.hasCarrier);
  }

  private static Ends ends(SimulatedCable cable) {
    SimulatedEnd one = cable.ends.get(0);
    SimulatedEnd other = cable.ends.get(1);
    return RecordVersion.ID_ORDER.compare(one.node.id(), other.node.id()) < 0
        ? new Ends(one.node.id(), one.index, other.node.id(), other.index)
        : new Ends(other.node.id(), other.index, one.node.id(), one.index);
  }

  private static Set<Ends> ends(MeshGraph graph) {
    Set<Ends> ends = new HashSet<>();
    for (MeshEdge each : graph.edges()) {
      ends.add(new Ends(each.one(), each.oneInterface(), each.other(), each.otherInterface()));
    }
    return ends;
  }

  /** What is wrong with what the nodes know; empty if each knows all that it can reach. */
  static String difference(SimulatedMesh mesh) {
    Map<NodeId, Node> running = new HashMap<>();
    Map<NodeId, Set<Ends>> cablesOf = new HashMap<>();
    for (Node each : mesh.nodes) {
      if (each.program != null) {
        running.put(each.id(), each);
        cablesOf.put(each.id(), new HashSet<>());
      }
    }
    for (SimulatedCable each : mesh.cables) {
      if (works(each)) {
        Ends ends = ends(each);
        cablesOf.get(ends.one()).add(ends);
        cablesOf.get(ends.other()).add(ends);
      }
    }
    for (Node each : running.values()) {
      String difference = difference(each, running, cablesOf);
      if (!difference.isEmpty()) {
        return each + ": " + difference;
      }
    }
    return "";
  }

  private static String difference(
      Node node, Map<NodeId, Node> running, Map<NodeId, Set<Ends>> cablesOf) {
    Set<NodeId> reached = new HashSet<>(Set.of(node.id()));
    Set<Ends> cables = new HashSet<>();
    Deque<NodeId> border = new ArrayDeque<>(reached);
    while (!border.isEmpty()) {
      for (Ends each : cablesOf.get(border.poll())) {
        cables.add(each);
        for (NodeId end : List.of(each.one(), each.other())) {
          if (reached.add(end)) {
            border.add(end);
          }
        }
      }
    }
    MeshGraph known = node.program.graph().reachableFrom(node.id());
    if (!known.nodes().keySet().equals(reached)) {
      return "knows %d of %d nodes".formatted(known.nodes().size(), reached.size());
    }
    if (!ends(known).equals(cables)) {
      return "knows %d of %d cables".formatted(known.edges().size(), cables.size());
    }
    for (NodeRecord each : known.nodes().values()) {
      NodeRecord own = running.get(each.origin()).program.graph().nodes().get(each.origin());
      if (own == null
          || own.incarnation() != each.incarnation()
          || !own.services().equals(each.services())) {
        return "has an old record of " + each.name();
      }
    }
    return "";
  }
}
