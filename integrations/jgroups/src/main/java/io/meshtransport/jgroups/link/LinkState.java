// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.link;

/**
 * The life of an outbound link.
 *
 * <pre>
 * IDLE -> OPENING -> OPEN -> FAILED -> BACKING_OFF -> OPENING ...
 *            |                 ^
 *            +-----------------+        any but CLOSED -> CLOSED
 * </pre>
 */
enum LinkState {
  /** Made; no connection has been requested yet. */
  IDLE,
  /** A channel to the peer is being opened. */
  OPENING,
  /** Messages leave at once. */
  OPEN,
  /** The channel broke or could not be opened; it is being closed and its messages are dropped. */
  FAILED,
  /** Everything is given back; the next dial waits until the pause is over. */
  BACKING_OFF,
  /** Final. */
  CLOSED;

  /** Whether the picture has an arrow from here to there. */
  boolean mayBecome(LinkState next) {
    return switch (next) {
      case IDLE -> false;
      case OPENING -> this == IDLE || this == BACKING_OFF;
      case OPEN -> this == OPENING;
      case FAILED -> this == OPENING || this == OPEN;
      case BACKING_OFF -> this == FAILED;
      case CLOSED -> this != CLOSED;
    };
  }

  /** Whether the last channel failed and no other is being opened yet. */
  boolean isDown() {
    return this == FAILED || this == BACKING_OFF;
  }
}
