// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.adjacency;

import io.meshtransport.neighbours.wire.NeighbourHello;

/** Sends hellos. */
public interface HelloOutput {
  /** The hello of an interface, as it is now, without the neighbours. */
  NeighbourHello hello(CableInterface from, long nowNs);

  /** To every node on the cable. */
  void toGroup(int interfaceIndex, NeighbourHello hello);

  /** To one neighbour. */
  void toNeighbour(Adjacency to, NeighbourHello hello);
}
