// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.map;

import io.meshtransport.neighbours.verdict.NodeState;
import java.util.List;
import java.util.Locale;

/**
 * A node of a map.
 *
 * @param id 32 hexadecimal digits
 * @param label the name, with the first digits of the id where two nodes have one name
 * @param self whether the map was drawn by this node
 * @param evidence why it is in this state; empty for nodes that live
 * @param services names of what it offers
 * @param relaying whether it passes on what others send to others
 * @param relayed whether it has ends of relayed flows, as every relay has
 * @param relayedBytesPerSecond what it passed on of late, 0 if nothing
 */
public record MapNode(
    String id,
    String name,
    String label,
    boolean self,
    NodeState state,
    String evidence,
    List<MapInterface> interfaces,
    List<String> services,
    boolean relaying,
    boolean relayed,
    long relayedBytesPerSecond) {
  private static final double MEGA = 1e6;

  public MapNode {
    interfaces = List.copyOf(interfaces);
    services = List.copyOf(services);
  }

  /** What a picture says below the name. */
  public String description() {
    String load =
        relayedBytesPerSecond == 0
            ? ""
            : String.format(Locale.ROOT, ", relays %.3g MB/s", relayedBytesPerSecond / MEGA);
    return (self ? "this node, " : "") + state.description() + load;
  }
}
