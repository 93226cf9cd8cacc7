// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

/**
 * Receives what changes in a {@link Mesh}: each event once, in order, on the thread {@code
 * mesh-events} of that mesh. A method that blocks delays later events of the same mesh, and nothing
 * else; an exception is logged.
 */
public interface MeshEventListener {
  /** A node is there that was not. */
  default void nodeAppeared(MeshNode node) {}

  /** The state of a node has changed; the node has the evidence. */
  default void verdict(MeshNode node) {}

  /** A node has left, or nothing was heard of it for so long that it is removed. */
  default void nodeRemoved(MeshNode node) {}

  /** A node has published a service, or changed its handle. */
  default void servicePublished(MeshNode node, String service) {}

  /** A node has withdrawn a service. */
  default void serviceWithdrawn(MeshNode node, String service) {}

  /** A cable of this node works no longer, though the node at its other end lives. */
  default void linkCut(Peer peer, String evidence) {}
}
