// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

import java.util.HashSet;
import java.util.List;
import java.util.Objects;

/**
 * Which nodes there are and which cables between them. Data only: a {@link Fabric} brings it to
 * life.
 *
 * @param name as users type it, as in {@code triangle}
 * @param nodes names of the nodes, each 1 to 6 lowercase letters or digits: they become part of
 *     interface names, which end at 15 characters
 * @param cables between those nodes
 */
public record Topology(String name, List<String> nodes, List<Cable> cables) {
  public Topology {
    Objects.requireNonNull(name, "name");
    nodes = List.copyOf(nodes);
    cables = List.copyOf(cables);
    for (String node : nodes) {
      if (!node.matches("[a-z0-9]{1,6}")) {
        throw new IllegalArgumentException(
            "node '" + node + "': 1 to 6 lowercase letters or digits");
      }
    }
    if (new HashSet<>(nodes).size() != nodes.size()) {
      throw new IllegalArgumentException("a node occurs twice in " + nodes);
    }
    for (Cable cable : cables) {
      if (!nodes.contains(cable.a().node()) || !nodes.contains(cable.b().node())) {
        throw new IllegalArgumentException("cable " + cable + " leads out of " + nodes);
      }
    }
  }

  /** The same with this MTU at both ends of all cables. */
  public Topology withMtu(int mtuBytes) {
    return new Topology(
        name, nodes, cables.stream().map(cable -> cable.withMtu(mtuBytes, mtuBytes)).toList());
  }

  /** The nodes a node shares a cable with, in the order of {@link #nodes}. */
  public List<String> peersOf(String node) {
    return nodes.stream().filter(peer -> !cablesBetween(node, peer).isEmpty()).toList();
  }

  /** The cables plugged in at a node. */
  public List<Cable> cablesOf(String node) {
    return cables.stream().filter(cable -> cable.touches(node)).toList();
  }

  /** The cables between two nodes; more than one makes rails. */
  public List<Cable> cablesBetween(String one, String other) {
    return cables.stream().filter(cable -> cable.joins(one, other)).toList();
  }

  /**
   * What a node calls its interface at a cable: {@code to-b}, and {@code to-b.2} for a second cable
   * to the same peer.
   */
  public String interfaceName(Cable cable, String node) {
    String peer = cable.peerOf(node);
    int nth = cablesBetween(node, peer).indexOf(cable);
    if (nth < 0) {
      throw new IllegalArgumentException(cable + " is not part of " + name);
    }
    return "to-" + peer + (nth == 0 ? "" : "." + (nth + 1));
  }
}
