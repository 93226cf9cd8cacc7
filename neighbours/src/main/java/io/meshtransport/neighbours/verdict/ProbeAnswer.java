// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.verdict;

/** What a connection attempt to the host of a neighbour showed. */
public enum ProbeAnswer {
  /** The host accepted the connection, which it does for a stopped process too. */
  ACCEPTED,
  /** The host refused it: no process of it listens. */
  REFUSED,
  /** Nothing came back within {@link LivenessPort#TIMEOUT_NS}, or the host cannot be reached. */
  NONE
}
