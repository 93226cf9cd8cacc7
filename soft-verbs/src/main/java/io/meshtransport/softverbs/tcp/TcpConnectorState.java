// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.tcp;

/**
 * What a {@link TcpConnector} is at.
 *
 * <pre>
 * PAUSING <-> IDLE -> DIALLING -> PROVING
 *               ^        |           |
 *               +--------+-----------+   connected, given up, or failed
 * </pre>
 */
enum TcpConnectorState {
  /** There is nothing to connect. */
  IDLE,
  /** The kernel makes the connection. */
  DIALLING,
  /** The connection exists, and the acceptor's answer is awaited. */
  PROVING,
  /** The next attempt waits for its time. */
  PAUSING;

  /** Whether the picture has an arrow from here to there. */
  boolean mayBecome(TcpConnectorState next) {
    return switch (next) {
      case IDLE -> this != IDLE;
      case DIALLING, PAUSING -> this == IDLE;
      case PROVING -> this == DIALLING;
    };
  }
}
