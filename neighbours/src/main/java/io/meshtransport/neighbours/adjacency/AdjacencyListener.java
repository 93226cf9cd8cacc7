// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.adjacency;

/** Receives what changes between this node and its neighbours, on the thread of the node. */
public interface AdjacencyListener {
  /** Both directions work from now on. */
  void up(Adjacency adjacency, long nowNs);

  /** Both directions worked until now. */
  void down(Adjacency adjacency, DownReason reason, long nowNs);

  /** A hello of a neighbour that is up was accepted. */
  void heard(Adjacency adjacency, long nowNs);
}
