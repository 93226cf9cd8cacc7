// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

/**
 * A connector's HELLO for the {@link Acceptor}: checked and, if a secret is set, proven.
 *
 * @param nonce identifies the connection on both sides
 * @param peer the node that connects
 * @param nicIndex the NIC of ours that it claims to have dialed, by the index in our handle; check
 *     it against the local address
 * @param peerNicIndex its own NIC that it dialed from, by the index in its handle
 * @param endpoint its queue pair, which can receive once it sends READY
 */
public record PeerHello(
    ConnectionNonce nonce,
    NodeId peer,
    int nicIndex,
    int peerNicIndex,
    QueuePairAddress endpoint) {}
