// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import io.meshtransport.handshake.LogLevels;
import io.meshtransport.spi.ChannelState;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import java.util.function.Supplier;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * The state of one channel and the only door through which it changes: the arrow is checked, the
 * change is logged. Any thread may read; who changes it is the set-up until READY, the channel from
 * then on.
 */
final class ChannelLifeCycle {
  private static final Logger LOG = LogManager.getLogger(ChannelLifeCycle.class);

  private final String direction;
  private volatile ChannelState state = ChannelState.NEW;

  /**
   * @param direction for the log, as in {@code to} or {@code from}
   */
  ChannelLifeCycle(String direction) {
    this.direction = direction;
  }

  ChannelState state() {
    return state;
  }

  /**
   * @param about who and which way, for the log line
   * @throws IllegalStateException if there is no such arrow: a mistake in our code
   */
  void become(ChannelState next, Supplier<String> about) {
    Level level = next == ChannelState.READY ? Level.INFO : LogLevels.decision();
    change(next);
    LOG.log(level, "{} {}: {}", () -> direction, about::get, next::toString);
  }

  /**
   * To FAILED, during set-up: that tells its caller, and a stranger who gives up half-way concerns
   * nobody.
   */
  void fail(Reason why, Supplier<String> about) {
    change(ChannelState.FAILED);
    LOG.log(LogLevels.decision(), "{} {}: FAILED, {}", () -> direction, about::get, () -> why);
  }

  /**
   * To FAILED, of a channel that was in use: a warning for whoever reads the log, unless the peer
   * has said goodbye, which is in order.
   *
   * @param why with a text that names the route
   */
  void broke(TransportException why) {
    boolean isOrderly = why.reason() == Reason.PEER_CLOSED;
    change(ChannelState.FAILED);
    LOG.log(
        isOrderly ? LogLevels.decision() : Level.WARN,
        "channel {} {} ({})",
        direction,
        why.getMessage(),
        why.reason());
  }

  private synchronized void change(ChannelState next) {
    if (!state.mayBecome(next)) {
      throw new IllegalStateException("a channel cannot go from " + state + " to " + next);
    }
    state = next;
  }
}
