// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import io.meshtransport.nic.Nic;
import io.meshtransport.nic.NicAddress;

/**
 * A way to a peer that is worth a handshake. Counts only once the node that answers is the peer:
 * two networks may carelessly have the same subnet.
 *
 * @param nic the local NIC
 * @param local its address there, with the GID row that sends from it
 * @param remote the peer's address there
 * @param why why it stands where it stands in the order, in a sentence
 */
record Candidate(Nic nic, NicAddress local, RemoteAddress remote, String why) {
  /** The shared subnet, as in {@code 10.0.1.0/24}; where masks differ, the smaller network. */
  String subnet() {
    return new AddressPair(nic, local, remote).sharedSubnet();
  }
}
