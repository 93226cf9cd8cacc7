// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.verdict;

import io.meshtransport.neighbours.adjacency.AdjacencyId;
import java.util.Objects;

/**
 * A cable of this node that works no longer, though the node at its other end lives. A value.
 *
 * @param cable its two ends
 * @param peerName name of the node at the other end, for people
 * @param evidence a clause that says what was seen
 */
public record CableCut(AdjacencyId cable, String peerName, String evidence) {
  public CableCut {
    Objects.requireNonNull(cable, "cable");
    Objects.requireNonNull(peerName, "peerName");
    Objects.requireNonNull(evidence, "evidence");
  }
}
