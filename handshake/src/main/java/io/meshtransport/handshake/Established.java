// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import java.net.InetSocketAddress;

/**
 * A handshake that succeeded, as the connector sees it: both queue pairs can receive and send, and
 * the TCP connection has done its work, unless it is kept for the next.
 *
 * @param nonce names the connection on both sides
 * @param peer who answered, proven to be the one that was asked for
 * @param peerEndpoint the peer's queue pair, as {@link BringUp} got it
 * @param local the address and port that were dialled from
 * @param remote the address and port that answered
 * @param attempts how many it took, from 1; the first may have gone over a TCP connection that was
 *     kept from an earlier handshake
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
