// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.route;

import io.meshtransport.handshake.HandleAddress;
import io.meshtransport.nic.Nic;
import io.meshtransport.nic.NicAddress;

/**
 * A route to a peer that is worth a handshake. Counts only once the node that answers is the peer:
 * two networks may carelessly have the same subnet.
 *
 * @param pair of addresses that share a subnet, or may
 * @param why the reason of its rank among the candidates, in a sentence
 */
public record Candidate(AddressPair pair, String why) {
  /** The local NIC. */
  public Nic nic() {
    return pair.nic();
  }

  /** Its address, with the GID row that sends from it. */
  public NicAddress local() {
    return pair.local();
  }

  /** The peer's address. */
  public HandleAddress remote() {
    return pair.remote();
  }

  /** As {@link AddressPair#sharedSubnet}. */
  public String subnet() {
    return pair.sharedSubnet();
  }

  /** Equal ones have equal sentences; of the rest of a NIC no hash is needed. */
  @Override
  public boolean equals(Object other) {
    return this == other
        || other instanceof Candidate that && why.equals(that.why) && pair.equals(that.pair);
  }

  @Override
  public int hashCode() {
    return why.hashCode();
  }
}
