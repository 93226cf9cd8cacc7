package io.meshtransport.transport;

import io.meshtransport.spi.ChannelState;
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
final class ChannelLife {
  private static final Logger LOG = LogManager.getLogger(ChannelLife.class);

  private final String direction;
  private volatile ChannelState state = ChannelState.NEW;

  /**
   * @param direction for the log, as in {@code to} or {@code from}
   */
  ChannelLife(String direction) {
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
    Level level = next == ChannelState.READY ? Level.INFO : Level.DEBUG;
    change(next, level, () -> next.toString(), about);
  }

  /**
   * To FAILED. Worth a line of its own only where a channel was in use: a set-up that fails tells
   * its caller, a stranger who gives up half-way concerns nobody, and a peer that says goodbye is
   * in order.
   */
  void fail(Reason why, Supplier<String> about) {
    boolean matters = state == ChannelState.READY && why != Reason.PEER_CLOSED;
    change(ChannelState.FAILED, matters ? Level.INFO : Level.DEBUG, () -> "FAILED, " + why, about);
  }

  private synchronized void change(
      ChannelState next, Level level, Supplier<String> what, Supplier<String> about) {
    if (!state.mayBecome(next)) {
      throw new IllegalStateException("a channel cannot go from " + state + " to " + next);
    }
    state = next;
    LOG.log(level, "{} {}: {}", () -> direction, about::get, what::get);
  }
}
