// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.micrometer;

import io.meshtransport.spi.Traffic;

/**
 * What series of traffic are told apart by: names, which stay the same when nodes restart.
 *
 * @param nic name of the local device
 * @param peer name of the peer
 */
record PeerKey(String nic, String peer) {
  /** Of peers that gave no name, as C plugins do. */
  private static final String UNNAMED = "unnamed";

  static PeerKey of(Traffic traffic) {
    return new PeerKey(traffic.nic(), traffic.peerName().isEmpty() ? UNNAMED : traffic.peerName());
  }
}
