// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

/** What is known of the life of a node of a {@link Mesh}. */
public enum MeshNodeState {
  /** It is heard, here or by a node that can be reached. */
  ALIVE,
  /** Its host answers and its process does not: stopped, or without processor time. */
  STUCK,
  /** Its host reports that the process has ended. */
  PROCESS_GONE,
  /** Neither its process nor its host answers, and no node that can be reached hears it. */
  NODE_GONE,
  /** No path leads to it, and no node that can be reached could say whether it lives. */
  UNREACHABLE,
  /** It has left the mesh, and its process may live: it says so, or has joined the mesh again. */
  LEFT;

  /** Whether this life of the node is over, as far as can be known. */
  public boolean isGone() {
    return this == PROCESS_GONE || this == NODE_GONE || this == LEFT;
  }
}
