// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.relay;

/**
 * How far one end of a flow is. What it still sends and receives, its halves know.
 *
 * <pre>
 *   OPEN -+-> ANSWERING ---------------+-> ENDED
 *         +-> ORPHANED -+--------------+
 *         +-------------+-> ABORTED ---+
 *         +----------------------------+
 * </pre>
 */
enum FlowPhase {
  OPEN,

  /** The peer has closed it and all of its bytes are taken: one answer is due, with what it has. */
  ANSWERING,

  /** The peer is gone, and some of its bytes are still to be taken here. */
  ORPHANED,

  /** By the program, or for what the peer sent: a RESET is due. */
  ABORTED,

  ENDED;

  boolean mayBecome(FlowPhase next) {
    return switch (this) {
      case OPEN -> next != OPEN;
      case ORPHANED -> next == ABORTED || next == ENDED;
      case ANSWERING, ABORTED -> next == ENDED;
      case ENDED -> false;
    };
  }

  /** Whether the listener is still to hear of it. */
  boolean isHeard() {
    return this == OPEN || this == ORPHANED;
  }
}
