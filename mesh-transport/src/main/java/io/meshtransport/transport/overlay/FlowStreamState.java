// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.overlay;

/**
 * The life of a {@link FlowStream}.
 *
 * <pre>
 * CONNECTING -> UP -> FINISHING -> CLOSED
 *     | ^        |                   ^
 *     | +--------+                   |    the peer was reset, and is waited for
 *     |          |                   |
 *     +----------+-------------------+    never connected; the peer has closed, or is gone
 * </pre>
 */
enum FlowStreamState {
  /** No flow has both ends of it yet. */
  CONNECTING,
  /** Frames pass. */
  UP,
  /** The last frames of the queue pair leave, then CLOSE. */
  FINISHING,
  CLOSED;

  /** Whether the picture has an arrow from here to there. */
  boolean mayBecome(FlowStreamState next) {
    return switch (next) {
      case CONNECTING -> this == UP;
      case UP -> this == CONNECTING;
      case FINISHING -> this == UP;
      case CLOSED -> this != CLOSED;
    };
  }
}
