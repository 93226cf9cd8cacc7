// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours;

import io.meshtransport.neighbours.adjacency.Adjacency;
import io.meshtransport.neighbours.adjacency.DownReason;
import io.meshtransport.neighbours.finding.Finding;
import io.meshtransport.neighbours.linkstate.MeshGraph;
import io.meshtransport.neighbours.verdict.CableCut;
import io.meshtransport.neighbours.verdict.NodeVerdict;
import io.meshtransport.neighbours.wire.NodeRecord;

/**
 * Receives what changes, on the thread that calls {@link NeighbourNode}; calls nothing of it back.
 */
public interface NeighbourListener {
  /** Listens to nothing. */
  NeighbourListener NONE = new NeighbourListener() {};

  /** A cable to a neighbour works in both directions. */
  default void adjacencyUp(Adjacency adjacency) {}

  /** A cable to a neighbour works no longer. */
  default void adjacencyDown(Adjacency adjacency, DownReason reason) {}

  /**
   * A node is known that was not, or had left. Its first verdict comes next: a record of a node
   * that was never seen alive here is not reported.
   */
  default void nodeAppeared(NodeRecord node) {}

  /**
   * A node says something else of itself: links, services, or a new incarnation once there is a
   * verdict on that.
   */
  default void nodeChanged(NodeRecord before, NodeRecord now) {}

  /**
   * A node has left, as its record says then, or its record has expired. Of one that has left the
   * verdict may come before or after this.
   */
  default void nodeGone(NodeRecord node) {}

  /** A node lives, or does so no longer; each change once. */
  default void verdict(NodeVerdict verdict) {}

  /** A cable of this node works no longer, though the node at its other end lives. */
  default void cableCut(CableCut cut) {}

  /** A cable that both of its ends report has come, changed or gone, here or elsewhere. */
  default void cablesChanged(MeshGraph graph) {}

  /** Something is wrong with the cabling. */
  default void found(Finding finding) {}

  /** It is still so, and more is known of it: no news for a log. */
  default void reworded(Finding finding) {}

  /** It is no longer so. */
  default void cleared(Finding finding) {}
}
