// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.channel;

import io.meshtransport.handshake.LogLevels;
import io.meshtransport.spi.ChannelState;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import java.util.function.Supplier;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * The state of one channel and the only method that changes it: the arrow is checked, the change is
 * logged. Any thread may read it; the set-up changes it until READY, the channel from then on.
 */
public final class ChannelLifeCycle {
  private static final Logger LOG = LogManager.getLogger(ChannelLifeCycle.class);

  private final String direction;
  private volatile ChannelState state = ChannelState.NEW;

  /**
   * @param direction for the log, as in {@code to} or {@code from}
   */
  public ChannelLifeCycle(String direction) {
    this.direction = direction;
  }

  public ChannelState state() {
    return state;
  }

  /**
   * @param about the peer and the route, for the log line
   * @throws IllegalStateException if there is no such arrow: a mistake in our code
   */
  public void become(ChannelState next, Supplier<String> about) {
    Level level = next == ChannelState.READY ? Level.INFO : LogLevels.decision();
    change(next);
    LOG.log(level, "{} {}: {}", () -> direction, about::get, next::toString);
  }

  /**
   * To FAILED, during set-up: no warning, for its caller gets the failure, and a peer that gives up
   * half-way is no trouble of this node.
   */
  public void fail(Reason why, Supplier<String> about) {
    change(ChannelState.FAILED);
    LOG.log(LogLevels.decision(), "{} {}: FAILED, {}", () -> direction, about::get, () -> why);
  }

  /**
   * To FAILED, of a channel that was in use: a warning in the log, unless the peer has sent
   * GOODBYE, which is in order.
   *
   * @param why with a text that names the route
   */
  public void broke(TransportException why) {
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
