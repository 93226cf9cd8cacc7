// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.finding;

import io.meshtransport.neighbours.wire.OtherSecret;
import io.meshtransport.nic.LinkAddress;
import java.util.List;
import java.util.Optional;

/**
 * An interface of this node and what is at the other end of its cable.
 *
 * @param ownInterface name of the interface of this node that the cable leads back to
 * @param otherJob the node of another job there, for people
 * @param otherSecret the sender, and how its secret differs
 * @param hasRefused whether there are more nodes than are kept
 */
public record CableView(
    String interfaceName,
    int mtu,
    int speedMbps,
    List<LinkAddress> addresses,
    List<NeighbourView> neighbours,
    Optional<String> ownInterface,
    Optional<String> otherJob,
    Optional<OtherSecret> otherSecret,
    boolean hasRefused) {
  public CableView {
    addresses = List.copyOf(addresses);
    neighbours = List.copyOf(neighbours);
  }

  /** Addresses that identify one cable. */
  List<LinkAddress> usableAddresses() {
    return usable(addresses);
  }

  static List<LinkAddress> usable(List<LinkAddress> addresses) {
    return addresses.stream().filter(each -> !each.isLinkLocal()).toList();
  }

  /** Both ends of the cable, as in {@code eth1 - b/eth0}. */
  String with(NeighbourView neighbour) {
    return interfaceName + " - " + neighbour.place();
  }
}
