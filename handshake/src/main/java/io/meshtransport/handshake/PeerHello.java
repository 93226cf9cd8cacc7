// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

/**
 * What a connector asks for, as its acceptor sees it: checked, and, if a secret is set, proven.
 *
 * @param nonce names the connection on both sides
 * @param peer the node that asks
 * @param nicIndex which of our NICs it dialled, by the index in our handle. Its claim: check it
 *     against the local address
 * @param peerNicIndex which of its own NICs it dialled from, by the index in its handle
 * @param endpoint its queue pair, which can receive once it says READY
 */
public record PeerHello(
    ConnectionNonce nonce,
    NodeId peer,
    int nicIndex,
    int peerNicIndex,
    QueuePairAddress endpoint) {}
