// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli.map;

import io.meshtransport.neighbours.verdict.NodeState;
import java.util.List;

/**
 * A node of a map.
 *
 * @param id 32 hexadecimal digits
 * @param label the name, with the first digits of the id where two nodes have one name
 * @param self whether the map was drawn by this node
 * @param evidence why it is in this state; empty for nodes that live
 * @param services names of what it offers
 */
public record MapNode(
    String id,
    String name,
    String label,
    boolean self,
    NodeState state,
    String evidence,
    List<MapInterface> interfaces,
    List<String> services) {
  public MapNode {
    interfaces = List.copyOf(interfaces);
    services = List.copyOf(services);
  }

  /** What a picture says below the name. */
  String description() {
    return (self ? "this node, " : "") + state.description();
  }
}
