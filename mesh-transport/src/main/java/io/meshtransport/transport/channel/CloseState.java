// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.channel;

/**
 * How far the end of a channel is, beside its {@link io.meshtransport.spi.ChannelState}.
 *
 * <pre>
 * OPEN -> FAILING -> CLOSING -> CLOSED
 *   |        |         ^          ^
 *   |        +---------|----------+   the channel broke, and then was closed
 *   +------------------+----------+   the end without a GOODBYE is not acknowledged
 * </pre>
 */
public enum CloseState implements LifeCycleState<CloseState> {
  /** In use, or broken and not closed. */
  OPEN,
  /** About to break: a GOODBYE with the reason is on its way to the peer. */
  FAILING,
  /** Being closed: GOODBYE is on its way, behind everything else. */
  CLOSING,
  /** Being closed: the peer's device has the GOODBYE, or never will. */
  CLOSED;

  @Override
  public boolean mayBecome(CloseState next) {
    return switch (next) {
      case OPEN -> false;
      case FAILING -> this == OPEN;
      case CLOSING -> this == OPEN || this == FAILING;
      case CLOSED -> this != CLOSED;
    };
  }
}
