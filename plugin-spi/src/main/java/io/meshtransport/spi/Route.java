// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

/**
 * The NICs and addresses that a channel uses, for logs and diagnosis.
 *
 * @param peer id of the peer node: the first eight digits of {@link Transport#nodeId}
 * @param peerName name of the peer node, its setting MESH_NODE; empty if it gave none, as C plugins
 *     do
 * @param localNic name of the local device
 * @param localAddress address of the local NIC, as in {@code 10.0.1.1/24}
 * @param peerAddress address of the peer on the shared subnet
 * @param subnet the shared subnet, as in {@code 10.0.1.0/24}
 * @param gid local GID and its index, as in {@code ::ffff:10.0.1.1 [3, RoCE v2]}
 * @param why why this NIC was chosen, in a sentence for people
 * @param handshakeNs duration of the handshake in nanoseconds, from its first packet until both
 *     sides were READY
 */
public record Route(
    String peer,
    String peerName,
    String localNic,
    String localAddress,
    String peerAddress,
    String subnet,
    String gid,
    String why,
    long handshakeNs) {
  @Override
  public String toString() {
    return (peerName.isEmpty() ? peer : peerName + " (" + peer + ")")
        + " at "
        + peerAddress
        + " via "
        + localNic;
  }
}
