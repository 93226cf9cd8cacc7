// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.sim;

/**
 * The life of a {@link SimulatedStream}.
 *
 * <pre>
 * OPEN -> FINISHING -> ENDED
 *   |                    ^
 *   +--------------------+
 * </pre>
 */
enum SimulatedStreamState {
  /** Frames pass, once there is a peer. */
  OPEN,
  /** The last frames of the queue pair leave, then the stream ends. */
  FINISHING,
  ENDED;

  /** Whether the picture has an arrow from here to there. */
  boolean mayBecome(SimulatedStreamState next) {
    return switch (next) {
      case OPEN -> false;
      case FINISHING -> this == OPEN;
      case ENDED -> this != ENDED;
    };
  }
}
