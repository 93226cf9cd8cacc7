// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.verdict;

import java.util.Optional;

/**
 * What speaks for and against a node's life at one moment. A value; {@link #state()} is the table
 * of verdicts.
 *
 * @param hasLeft whether it said that it leaves
 * @param isHeard whether its hellos arrive here, over any cable
 * @param isReachable whether a path of cables leads to it that both ends of each count as up
 * @param isRefused whether its host refused a connection here
 * @param isAccepted whether its host accepted one after its hellos ended
 * @param isReportedRefused whether its host refused one at a node that can be reached
 * @param isReportedAccepted whether its host accepted one there
 * @param hasWitness whether a node that can be reached, or this one, was its neighbour to the last
 * @param isWindowOver whether it was neither heard nor reachable for the time that evidence needs
 */
record NodeEvidence(
    boolean hasLeft,
    boolean isHeard,
    boolean isReachable,
    boolean isRefused,
    boolean isAccepted,
    boolean isReportedRefused,
    boolean isReportedAccepted,
    boolean hasWitness,
    boolean isWindowOver) {
  /** The verdict; empty while the evidence does not suffice for one. */
  Optional<NodeState> state() {
    if (hasLeft) {
      return Optional.of(NodeState.LEFT);
    }
    if (isHeard) {
      return Optional.of(NodeState.ALIVE);
    }
    if (isRefused) {
      return Optional.of(NodeState.PROCESS_GONE);
    }
    if (isReachable) {
      return Optional.of(NodeState.ALIVE);
    }
    if (isReportedRefused) {
      return Optional.of(NodeState.PROCESS_GONE);
    }
    if (!isWindowOver) {
      return Optional.empty();
    }
    if (isAccepted || isReportedAccepted) {
      return Optional.of(NodeState.STUCK);
    }
    return Optional.of(hasWitness ? NodeState.NODE_GONE : NodeState.UNREACHABLE);
  }
}
