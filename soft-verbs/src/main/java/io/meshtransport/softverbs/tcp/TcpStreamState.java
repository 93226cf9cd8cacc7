// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.tcp;

/**
 * The life of a {@link TcpStream}.
 *
 * <pre>
 * CONNECTING -> OPENED -> CONNECTED
 *   ^  |         |  |        |  |
 *   +--|---------+--|--------+  |      the peer was reset, and is waited for
 *      |            |           |
 *      +------------+-----------+--> FINISHING -> CLOSED
 *                   |           |                   ^
 *                   +-----------+-------------------+   the peer has closed, or is gone
 * </pre>
 */
enum TcpStreamState {
  /** The peer's name is not known. */
  CONNECTING,
  /** The peer's name is known; whether the peer knows ours is not. */
  OPENED,
  /** Each end knows the other's name: the peer may have sent something. */
  CONNECTED,
  /** The last frames of the queue pair leave, then CLOSE. */
  FINISHING,
  CLOSED;

  /** Whether the picture has an arrow from here to there. */
  boolean mayBecome(TcpStreamState next) {
    return switch (next) {
      case CONNECTING -> isUp();
      case OPENED -> this == CONNECTING;
      case CONNECTED -> this == OPENED;
      case FINISHING -> this == CONNECTING || isUp();
      case CLOSED -> this == FINISHING || isUp();
    };
  }

  /** Whether frames pass: the peer's name is known, and neither end has closed. */
  boolean isUp() {
    return this == OPENED || this == CONNECTED;
  }
}
