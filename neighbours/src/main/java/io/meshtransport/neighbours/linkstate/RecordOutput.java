// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.linkstate;

import io.meshtransport.neighbours.adjacency.AdjacencyId;
import io.meshtransport.neighbours.wire.DatagramBody;

/** Sends to a neighbour that is up. */
@FunctionalInterface
public interface RecordOutput {
  void send(AdjacencyId to, DatagramBody body);
}
