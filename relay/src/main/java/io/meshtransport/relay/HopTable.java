// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.relay;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * The hops of one node, one to each neighbour. Of one thread, the relay's; any may call {@link
 * #leadsTo}.
 */
final class HopTable {
  private final Map<NodeNumber, Hop> byPeer = new HashMap<>();

  /** The same, to be looked through without garbage. */
  private Hop[] all = {};

  private volatile Set<NodeNumber> neighbours = Set.of();

  /** In place of the hop to that neighbour, if there is one. */
  void add(Hop hop) {
    byPeer.put(hop.peer(), hop);
    changed();
  }

  /** Unless another one leads to that neighbour by now. */
  void remove(Hop hop) {
    byPeer.remove(hop.peer(), hop);
    changed();
  }

  private void changed() {
    neighbours = Set.copyOf(byPeer.keySet());
    all = byPeer.values().toArray(new Hop[0]);
  }

  /** Whether there is a hop to a node. */
  boolean leadsTo(NodeNumber node) {
    return neighbours.contains(node);
  }

  /** The hop that a route begins with; null if there is none. */
  Hop first(SourceRoute route) {
    return byPeer.get(route.first());
  }

  /** The hop to the node at an index of a chunk's route; null if there is none. */
  Hop find(ByteBuffer chunk, int index) {
    for (Hop hop : all) {
      if (ChunkHeader.isNode(chunk, index, hop.peer())) {
        return hop;
      }
    }
    return null;
  }

  void tick() {
    for (Hop hop : all) {
      hop.queues.tick();
    }
  }
}
