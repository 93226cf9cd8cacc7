// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import java.net.InetSocketAddress;

/**
 * A handshake that succeeded, at the connector: both queue pairs can receive and send, and the TCP
 * connection is closed or idle.
 *
 * @param nonce identifies the connection on both sides
 * @param peer the node that answered, which is the one of the request
 * @param peerEndpoint the peer's queue pair, as given to {@link BringUp}
 * @param local the address and port that were dialled from
 * @param remote the address and port that answered
 * @param attempts number of attempts, from 1; the first may have used an idle TCP connection of an
 *     earlier handshake
 * @param durationNs from {@link Handshaker#connect} to the peer's READY, in nanoseconds
 */
public record Established(
    ConnectionNonce nonce,
    NodeId peer,
    QueuePairAddress peerEndpoint,
    InetSocketAddress local,
    InetSocketAddress remote,
    int attempts,
    long durationNs) {}
