// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.adjacency;

import io.meshtransport.handshake.NodeId;

/**
 * The two ends of a cable: an interface of this node, a neighbour, and the neighbour's interface.
 *
 * @param interfaceIndex of this node
 * @param peerInterfaceIndex of the neighbour
 */
public record AdjacencyId(int interfaceIndex, NodeId peer, int peerInterfaceIndex) {}
