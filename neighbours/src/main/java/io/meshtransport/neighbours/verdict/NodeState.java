// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.verdict;

/**
 * What is known of a node's life.
 *
 * <pre>
 *             +---------------------------------+
 *             v                                 |
 *   ALIVE --> STUCK --> PROCESS_GONE, NODE_GONE, LEFT --> ALIVE
 *     |                 ^
 *     +--> UNREACHABLE -+<-> STUCK
 * </pre>
 *
 * From every state a node may become ALIVE again, or LEFT.
 */
public enum NodeState {
  /** Its hellos arrive here, or at a node that can be reached. */
  ALIVE("alive"),
  /** Its host answers and its process does not: stopped, or starved of processor time. */
  STUCK("stuck"),
  /** Its host answers that the process is there no longer, or another life of it has begun. */
  PROCESS_GONE("process gone"),
  /** Neither process nor host answers, and no node that can be reached hears it. */
  NODE_GONE("node gone"),
  /** No path leads to it, and no node that can be reached could say whether it lives. */
  UNREACHABLE("unreachable"),
  /** It has ended in an orderly way. */
  LEFT("left");

  private final String description;

  NodeState(String description) {
    this.description = description;
  }

  /** For people. */
  public String description() {
    return description;
  }

  /** Whether this life of the node is over, as far as can be known. */
  public boolean isGone() {
    return this == PROCESS_GONE || this == NODE_GONE || this == LEFT;
  }

  /** Whether a node may pass from this state to another. */
  public boolean canMoveTo(NodeState next) {
    if (next == this) {
      return false;
    }
    return switch (next) {
      case ALIVE, LEFT -> true;
      case STUCK, PROCESS_GONE, NODE_GONE -> !isGone();
      case UNREACHABLE -> this == ALIVE || this == STUCK;
    };
  }
}
