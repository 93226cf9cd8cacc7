// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import io.meshtransport.nic.GidEntry;
import io.meshtransport.nic.NicAddress;
import io.meshtransport.spi.Route;
import java.net.InetAddress;

/**
 * The way a channel goes, known before the handshake ends.
 *
 * @param peer how users know the peer node
 * @param localNic label of the local NIC
 * @param local its address with the GID row
 * @param remote the peer's address
 * @param subnet the shared one
 * @param why why it was chosen, in a sentence
 */
record Way(
    String peer, String localNic, NicAddress local, InetAddress remote, String subnet, String why) {
  Route route(long handshakeNs) {
    GidEntry gid = local.gid();
    return new Route(
        peer,
        localNic,
        local.link().toString(),
        remote.getHostAddress(),
        subnet,
        gid.gid() + " [" + gid.index() + ", " + gid.type().label() + "]",
        why,
        handshakeNs);
  }
}
