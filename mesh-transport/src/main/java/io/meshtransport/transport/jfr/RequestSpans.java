// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.jfr;

import io.meshtransport.spi.CompletionKind;
import io.meshtransport.spi.Route;
import io.meshtransport.spi.TransportException;

/**
 * The requests of one channel that are timed for the flight recorder: an event for each slot, made
 * when the slot is timed first and used again from then on, so that recording makes no garbage.
 * Guarded by the channel's lock. Used only while {@link FlightEvents#areRequestsTimed}.
 */
public final class RequestSpans {
  private final long channel;
  private final Route route;

  /** Null until a request is timed: a Java runtime without jdk.jfr cannot load their class. */
  private SlowRequestEvent[] events;

  /**
   * @param channel number of the channel in this process
   */
  public RequestSpans(long channel, Route route) {
    this.channel = channel;
    this.route = route;
  }

  /** A request begins. */
  public void begun(int slot) {
    if (events == null || slot >= events.length) {
      grow(slot);
    }
    events[slot].begin();
  }

  private void grow(int slot) {
    int before = events == null ? 0 : events.length;
    SlowRequestEvent[] more = new SlowRequestEvent[Math.max(slot + 1, 2 * before)];
    for (int i = 0; i < more.length; i++) {
      more[i] = i < before ? events[i] : new SlowRequestEvent();
    }
    events = more;
  }

  /**
   * A request has ended that {@link #begun} was called for.
   *
   * @param lengthBytes of its message, if it succeeded
   * @param why its failure; null if it succeeded
   */
  public void ended(int slot, CompletionKind kind, long lengthBytes, TransportException why) {
    SlowRequestEvent event = events[slot];
    event.end();
    if (event.shouldCommit()) {
      event.channel = channel;
      event.peer = route.peer();
      event.peerName = route.peerName();
      event.route = route.toString();
      event.kind = kind.name();
      event.length = why == null ? lengthBytes : 0;
      event.reason = why == null ? "" : why.reason().name();
      event.commit();
    }
  }
}
