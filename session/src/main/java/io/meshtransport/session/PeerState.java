// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session;

/**
 * The life of a peer, as this node sees it.
 *
 * <pre>
 *  DOWN -> CONNECTING -> OPEN -> DOWN
 *    |          |          |
 *    +----------+----------+--> CLOSED
 * </pre>
 *
 * A connection that the peer opens leads from DOWN to OPEN, and a failed attempt from CONNECTING to
 * DOWN.
 */
public enum PeerState {
  /** No connection: not needed yet, or lost. */
  DOWN,

  /** An attempt to connect is in progress. */
  CONNECTING,

  /** Messages go both ways. */
  OPEN,

  /** The session is closed, or the peer was removed from it. */
  CLOSED;

  /** Whether the picture has an arrow from here to there. */
  boolean mayBecome(PeerState next) {
    return switch (next) {
      case DOWN -> this == CONNECTING || this == OPEN;
      case CONNECTING -> this == DOWN;
      case OPEN -> this == DOWN || this == CONNECTING;
      case CLOSED -> this != CLOSED;
    };
  }
}
