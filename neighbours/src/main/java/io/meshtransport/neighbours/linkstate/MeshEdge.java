// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.linkstate;

import io.meshtransport.handshake.NodeId;

/**
 * A cable that both of its ends list.
 *
 * @param one the end with the lower id
 * @param oneInterface index of its interface
 * @param other the end with the higher id
 * @param otherInterface index of its interface
 * @param rateMbps the lower of what the ends say, 0 if unknown
 * @param latencyNs the higher of what the ends say, 0 if unknown
 * @param mtu the lower of what the ends say, 0 if unknown
 */
public record MeshEdge(
    NodeId one,
    int oneInterface,
    NodeId other,
    int otherInterface,
    int rateMbps,
    int latencyNs,
    int mtu) {
  /** The end that is not this node. */
  public NodeId peerOf(NodeId node) {
    return node.equals(one) ? other : one;
  }

  /** Whether the node is one of its ends. */
  public boolean touches(NodeId node) {
    return node.equals(one) || node.equals(other);
  }
}
