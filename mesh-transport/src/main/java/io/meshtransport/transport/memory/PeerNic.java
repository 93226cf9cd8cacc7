// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.memory;

import io.meshtransport.handshake.NodeId;

/**
 * Where a channel ends: keys of the peer's memory differ by its NIC.
 *
 * @param node the peer
 * @param nicIndex which of its NICs, by the peer's own order
 */
public record PeerNic(NodeId node, int nicIndex) {}
