// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

/**
 * The life of a channel.
 *
 * <pre>
 * NEW -> ROUTING -> HANDSHAKING -> READY -> DRAINING -> CLOSED
 *  |        |            |           |          |
 *  +--------+------------+-----------+----------+--> FAILED -> CLOSED
 * </pre>
 */
public enum ChannelState {
  /** Made, nothing done yet. */
  NEW,
  /** Choosing the local NIC. */
  ROUTING,
  /** Exchanging queue-pair endpoints with the peer. */
  HANDSHAKING,
  /** Both sides can receive. */
  READY,
  /** Being closed: the peer is told, nothing new is begun. */
  DRAINING,
  /** Everything released. */
  CLOSED,
  /** Broken; only closing is left. */
  FAILED;

  /** Whether the picture has an arrow from here to there. */
  public boolean mayBecome(ChannelState next) {
    return switch (next) {
      case NEW -> false;
      case ROUTING -> this == NEW;
      case HANDSHAKING -> this == ROUTING;
      case READY -> this == HANDSHAKING;
      case DRAINING -> this == READY;
      case FAILED -> this != FAILED && this != CLOSED;
      case CLOSED -> this == DRAINING || this == FAILED;
    };
  }
}
