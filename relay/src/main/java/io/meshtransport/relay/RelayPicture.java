// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.relay;

import io.meshtransport.spi.Mesh;
import io.meshtransport.spi.MeshLink;
import io.meshtransport.spi.MeshNode;
import io.meshtransport.spi.RelayServices;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What a mesh says of relays at one moment. Immutable.
 *
 * @param graph of the nodes that take part, this one among them
 * @param neighbours those at the other end of a cable of this node
 */
record RelayPicture(Graph graph, Map<NodeNumber, MeshNode> neighbours) {
  RelayPicture {
    neighbours = Map.copyOf(neighbours);
  }

  static RelayPicture of(Mesh mesh, NodeNumber self) {
    Map<NodeNumber, MeshNode> others = new HashMap<>();
    Set<NodeNumber> willing = new HashSet<>();
    for (MeshNode each : mesh.nodes()) {
      if (!each.state().isGone() && service(each).isPresent()) {
        NodeNumber id = NodeNumber.of(each.peer().id());
        others.put(id, each);
        if (each.services().contains(RelayServices.RELAY)) {
          willing.add(id);
        }
      }
    }
    List<Graph.Edge> edges = new ArrayList<>();
    Map<NodeNumber, MeshNode> neighbours = new HashMap<>();
    for (MeshLink link : mesh.links()) {
      NodeNumber one = NodeNumber.of(link.one().id());
      NodeNumber other = NodeNumber.of(link.other().id());
      edges.add(new Graph.Edge(one, other, link.rateMbps()));
      NodeNumber far = one.equals(self) ? other : one;
      if ((one.equals(self) || other.equals(self)) && others.containsKey(far)) {
        neighbours.put(far, others.get(far));
      }
    }
    Set<NodeNumber> members = new HashSet<>(others.keySet());
    members.add(self);
    return new RelayPicture(new Graph(edges, members, willing), neighbours);
  }

  /** By which service a node takes part in relaying; empty if it does not. */
  static Optional<String> service(MeshNode of) {
    if (of.services().contains(RelayServices.RELAY)) {
      return Optional.of(RelayServices.RELAY);
    }
    return of.services().contains(RelayServices.END)
        ? Optional.of(RelayServices.END)
        : Optional.empty();
  }
}
