// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.channel;

import io.meshtransport.handshake.LogLevels;
import io.meshtransport.spi.ChannelState;
import io.meshtransport.spi.Route;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import io.meshtransport.transport.jfr.ChannelLabel;
import io.meshtransport.transport.jfr.FailureText;
import io.meshtransport.transport.jfr.FlightEvents;
import java.util.function.Supplier;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * The state of one channel and the only method that changes it: the arrow is checked, the change is
 * logged, and recorded where a flight recorder runs. Any thread may read it; the set-up changes it
 * until READY, the channel from then on.
 */
public final class ChannelLifeCycle {
  private static final Logger LOG = LogManager.getLogger(ChannelLifeCycle.class);

  private final String direction;
  private volatile ChannelState state = ChannelState.NEW;

  /** Number, depth and route of the channel, for events; null until there is one. */
  private long number;

  private int maxRequests;

  private volatile Route route;

  /** What the peer is known by during set-up; empty unless events are recorded. */
  private volatile String peerInSetUp = "";

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
   * There is a channel now, not yet READY.
   *
   * @param newNumber which of this process's channels it is
   * @param newMaxRequests outstanding at once
   */
  void made(long newNumber, Route newRoute, int newMaxRequests) {
    number = newNumber;
    maxRequests = newMaxRequests;
    route = newRoute;
  }

  /**
   * @param about the peer and the route, for the log line
   * @throws IllegalStateException if there is no such arrow: a mistake in our code
   */
  public void become(ChannelState next, Supplier<String> about) {
    Level level = next == ChannelState.READY ? Level.INFO : LogLevels.decision();
    if (route == null && FlightEvents.areStatesRecorded()) {
      peerInSetUp = about.get();
    }
    change(next, FailureText.NONE);
    LOG.log(level, "{} {}: {}", () -> direction, about::get, next::toString);
  }

  /**
   * To FAILED, during set-up: no warning, for its caller gets the failure, and a peer that gives up
   * half-way is no trouble of this node.
   *
   * @param message of the failure, for events
   * @param about the peer or the failure, for the log line
   */
  public void fail(Reason why, String message, Supplier<String> about) {
    change(ChannelState.FAILED, new FailureText(why, message));
    LOG.log(LogLevels.decision(), "{} {}: FAILED, {}", () -> direction, about::get, () -> why);
  }

  /**
   * To FAILED, of a channel that was ready: a warning in the log, unless the peer has sent GOODBYE,
   * or has never used the channel. Both are in order: of two nodes that connect to each other at
   * one time, one gives its connection up when this end has it already.
   *
   * @param why with a text that names the route
   * @param wasUsed whether anything has come from the peer, or got there
   */
  public void broke(TransportException why, boolean wasUsed) {
    boolean isGivenUp = !wasUsed && why.reason() == Reason.PEER_GONE;
    boolean isOrderly = why.reason() == Reason.PEER_CLOSED || isGivenUp;
    change(ChannelState.FAILED, FailureText.of(why));
    LOG.log(
        isOrderly ? LogLevels.decision() : Level.WARN,
        "channel {} {} ({})",
        direction,
        why.getMessage(),
        why.reason());
  }

  private void change(ChannelState next, FailureText why) {
    ChannelState before = change(next);
    if (FlightEvents.areStatesRecorded()) {
      FlightEvents.stateChanged(label(), before, next, why);
    }
  }

  private ChannelLabel label() {
    Route made = route;
    return made == null
        ? ChannelLabel.inSetUp(direction, peerInSetUp)
        : ChannelLabel.of(number, direction, made, maxRequests);
  }

  /** The state before. */
  private synchronized ChannelState change(ChannelState next) {
    ChannelState before = state;
    if (!before.mayBecome(next)) {
      throw new IllegalStateException("a channel cannot go from " + before + " to " + next);
    }
    state = next;
    return before;
  }
}
