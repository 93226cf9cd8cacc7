// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.sim;

/**
 * What the program of a {@link SimulatedNode} does.
 *
 * <pre>
 * RUNNING <-> STOPPED
 *    |           |
 *    +-----------+---> DEAD
 * </pre>
 */
enum SimulatedProgram {
  RUNNING,
  /** It does nothing, while its host still answers. */
  STOPPED,
  /** It has ended, and its host has closed its connections. */
  DEAD;

  /** Whether the picture has an arrow from here to there. */
  boolean mayBecome(SimulatedProgram next) {
    return switch (next) {
      case RUNNING -> this == STOPPED;
      case STOPPED -> this == RUNNING;
      case DEAD -> this != DEAD;
    };
  }
}
