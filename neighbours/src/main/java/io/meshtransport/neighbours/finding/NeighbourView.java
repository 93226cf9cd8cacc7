// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.finding;

import io.meshtransport.handshake.NodeId;
import io.meshtransport.nic.LinkAddress;
import java.util.List;

/**
 * The other end of a cable, as its hello describes it.
 *
 * @param isOneWay whether it is heard for a while and does not hear this node
 */
public record NeighbourView(
    NodeId node,
    String name,
    String interfaceName,
    int mtu,
    int speedMbps,
    List<LinkAddress> addresses,
    boolean isOneWay) {
  public NeighbourView {
    addresses = List.copyOf(addresses);
  }

  /** Node and interface, as in {@code b/eth0}. */
  String place() {
    return name + "/" + interfaceName;
  }
}
