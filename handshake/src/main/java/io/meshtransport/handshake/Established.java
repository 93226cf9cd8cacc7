package io.meshtransport.handshake;

import java.net.InetSocketAddress;

/**
 * A handshake that succeeded, as the connector sees it: both queue pairs can receive and send, and
 * the TCP connection has done its work.
 *
 * @param nonce names the connection on both sides
 * @param peer who answered, proven to be the one that was asked for
 * @param peerEndpoint the peer's queue pair, as {@link BringUp} got it
 * @param local the address and port that were dialled from
 * @param remote the address and port that answered
 * @param attempts TCP connections it took, from 1
 * @param durationNs from {@link Handshaker#connect} to the peer's READY, in nanoseconds
 */
public record Established(
    ConnectionNonce nonce,
    NodeId peer,
    Endpoint peerEndpoint,
    InetSocketAddress local,
    InetSocketAddress remote,
    int attempts,
    long durationNs) {}
