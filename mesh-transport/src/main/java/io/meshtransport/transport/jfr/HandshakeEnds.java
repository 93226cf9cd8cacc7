// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.jfr;

/**
 * Between whom a handshake is.
 *
 * @param isConnecting whether this end connects; else it accepts
 * @param peer id of the peer
 * @param peerName the peer's name; empty if it is not known yet
 * @param localNic the local device, its port and its interface
 * @param localAddress of that NIC
 * @param peerAddress the peer's address
 * @param rail number of the rail that it makes; 0 for the first or the only one
 */
public record HandshakeEnds(
    boolean isConnecting,
    String peer,
    String peerName,
    String localNic,
    String localAddress,
    String peerAddress,
    int rail) {}
