// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

/**
 * Receives what changes in a {@link Mesh}: each event once, in order, on the thread {@code
 * mesh-events} of that mesh. A method that blocks delays later events of the same mesh, and nothing
 * else; an exception is logged.
 *
 * <p>At most {@value #MAX_WAITING} events wait for a listener. One that is slower is told what is
 * different once it has heard those: what changed and changed back meanwhile is not reported, and
 * the last state of everything is.
 */
public interface MeshEventListener {
  /** Max events that wait for one listener. */
  int MAX_WAITING = 1024;

  /** A node is there that was not. */
  default void nodeAppeared(MeshNode node) {}

  /** The state of a node has changed; the node has the evidence. */
  default void verdict(MeshNode node) {}

  /**
   * A node has left, and then its state is LEFT unless events were left out, or nothing was heard
   * of it for so long that it is removed, and then its state is the last one.
   */
  default void nodeRemoved(MeshNode node) {}

  /** A node has published a service, or changed its handle. */
  default void servicePublished(MeshNode node, String service) {}

  /** A node has withdrawn a service. */
  default void serviceWithdrawn(MeshNode node, String service) {}

  /** A cable of this node works no longer, though the node at its other end lives. */
  default void linkCut(Peer peer, String evidence) {}

  /** Both ends of a cable report it, at this node or elsewhere. */
  default void linkUp(MeshLink link) {}

  /** A cable has another rate, latency or MTU. */
  default void linkChanged(MeshLink before, MeshLink now) {}

  /** An end of a cable reports it no longer: it is cut, or one of its nodes is gone. */
  default void linkDown(MeshLink link) {}

  /** Something is wrong with a cable of this node for a second. */
  default void found(MeshFinding finding) {}

  /** It is no longer so. */
  default void cleared(MeshFinding finding) {}
}
