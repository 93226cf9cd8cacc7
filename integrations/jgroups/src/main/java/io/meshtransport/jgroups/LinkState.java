// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups;

/**
 * The life of a link out.
 *
 * <pre>
 * IDLE -> OPENING -> OPEN -> RESTING -> OPENING ...
 *            |                  ^
 *            +------------------+        any but CLOSED -> CLOSED
 * </pre>
 */
enum LinkState {
  /** Made, not wanted yet. */
  IDLE,
  /** A channel to the peer is being opened. */
  OPENING,
  /** What is sent leaves. */
  OPEN,
  /** It failed, and the peer is left alone for a while. */
  RESTING,
  /** For good. */
  CLOSED;

  /** Whether the picture has an arrow from here to there. */
  boolean mayBecome(LinkState next) {
    return switch (next) {
      case IDLE -> false;
      case OPENING -> this == IDLE || this == RESTING;
      case OPEN -> this == OPENING;
      case RESTING -> this == OPENING || this == OPEN;
      case CLOSED -> this != CLOSED;
    };
  }
}
