// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.relay;

import java.util.List;

/**
 * The nodes that chunks take, from this one to the end. A value.
 *
 * @param nodes two or more, at most one more than {@link ChunkHeader#MAX_HOPS}
 */
record SourceRoute(List<NodeNumber> nodes) {
  SourceRoute {
    nodes = List.copyOf(nodes);
  }

  /** Cables. */
  int hops() {
    return nodes.size() - 1;
  }

  /** The neighbour that it begins with. */
  NodeNumber first() {
    return nodes.get(1);
  }

  /** The nodes between the ends. */
  List<NodeNumber> between() {
    return nodes.subList(1, nodes.size() - 1);
  }

  NodeNumber[] toArray() {
    return nodes.toArray(NodeNumber[]::new);
  }
}
