// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.tcp;

/**
 * The life of a {@link MuxConnection}.
 *
 * <pre>
 * UP -> FINISHING -> DRAINING -> CLOSED
 *  |        |                      ^
 *  +--------+----------------------+
 * </pre>
 */
enum MuxConnectionState {
  /** Streams use it, or may do so soon. */
  UP,
  /** No stream uses it any more, and its last frames leave. */
  FINISHING,
  /**
   * The peer has been sent the end of our direction, and what the peer sends is discarded until it
   * closes: if this end closed first, its kernel would reset the connection and with it discard our
   * last frames.
   */
  DRAINING,
  CLOSED;

  /** Whether the picture has an arrow from here to there. */
  boolean mayBecome(MuxConnectionState next) {
    return switch (next) {
      case UP -> false;
      case FINISHING -> this == UP;
      case DRAINING -> this == FINISHING;
      case CLOSED -> this != CLOSED;
    };
  }
}
