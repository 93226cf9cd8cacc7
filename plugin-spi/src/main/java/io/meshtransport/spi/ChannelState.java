// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

/**
 * The life cycle of a channel.
 *
 * <pre>
 * NEW -> ROUTING -> HANDSHAKING -> READY -> DRAINING -> CLOSED
 *  |        |            |           |          |
 *  +--------+------------+-----------+----------+--> FAILED -> CLOSED
 * </pre>
 */
public enum ChannelState {
  /** Created; nothing has begun. */
  NEW,
  /** Choosing the local NIC. */
  ROUTING,
  /** Exchanging queue-pair addresses with the peer. */
  HANDSHAKING,
  /** Both sides can send and receive. */
  READY,
  /** Closing: the peer is notified, new requests are refused. */
  DRAINING,
  /** Closed; everything is released. */
  CLOSED,
  /** Failed, with {@link Channel#failure()}; all that is left to do is to close it. */
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
