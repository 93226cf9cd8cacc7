// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.channel;

import io.meshtransport.spi.ChannelState;
import io.meshtransport.spi.Route;
import io.meshtransport.spi.TransportException;
import io.meshtransport.transport.device.DeviceEvents;
import io.meshtransport.transport.endpoint.VerbsEndpoint;

/**
 * How one channel ends: it breaks, at once or when the peer's device has the reason, or its program
 * closes it ({@link ChannelClosing} says in which order). Confined to the channel's lock.
 */
public final class ChannelShutdown {
  /**
   * How long an end that breaks by its own decision waits until the peer's device has the reason. A
   * living one answers in a round trip; the wait is added to the deadline that has passed.
   */
  private static final long FAILING_NS = 100_000_000;

  private final Route route;
  private final ChannelLifeCycle life;
  private final CoreStatus status;
  private final Attendance attendance;
  private final Requests requests;
  private final CompletionPolling polling;
  private ChannelEndpoints endpoints;
  private EndpointEvents events;
  private CloseState closeState = CloseState.OPEN;
  private long failingUntilNs;

  ChannelShutdown(
      Route route,
      ChannelLifeCycle life,
      CoreStatus status,
      Attendance attendance,
      Requests requests,
      CompletionPolling polling) {
    this.route = route;
    this.life = life;
    this.status = status;
    this.attendance = attendance;
    this.requests = requests;
    this.polling = polling;
  }

  void attach(ChannelEndpoints channelEndpoints, EndpointEvents endpointEvents) {
    endpoints = channelEndpoints;
    events = endpointEvents;
  }

  /**
   * Breaks for a reason that only this end knows, a deadline of its own for example: sends the peer
   * the reason first and waits a bounded time until its device has it, so that the peer need not
   * guess. Requests end meanwhile as they would otherwise; none begins.
   */
  public void failWith(TransportException reason, Goodbye goodbye) {
    if (!status.isReady() || status.isFailing()) {
      return;
    }
    status.fails(reason);
    failingUntilNs = System.nanoTime() + FAILING_NS;
    become(CloseState.FAILING);
    if (!sendGoodbye(goodbye)) {
      breakWith(reason);
    } else {
      attendance.deferred();
      attendance.attendant().begun(failingUntilNs);
    }
  }

  /** One that does not arrive in time, behind what is under way, the devices hint at. */
  private boolean sendGoodbye(Goodbye goodbye) {
    endpoints.forEach(VerbsEndpoint::announceShutdown);
    return events.sendGoodbye(goodbye);
  }

  /** Whether it is about to break, and not being closed meanwhile: no deadline counts then. */
  boolean isFailing() {
    return status.isFailing() && status.isReady();
  }

  /** Nanoseconds until it breaks, while it {@link #isFailing}. */
  long untilBrokenNs(long nowNs) {
    return Math.max(0, failingUntilNs - nowNs);
  }

  /** Breaks if the peer's device has not had the reason in time. */
  void checkClock(long nowNs) {
    // While draining no deadline counts, and none must cut the GOODBYE short.
    if (isFailing() && nowNs - failingUntilNs >= 0) {
      breakWith(status.failure());
    }
  }

  /**
   * The one way to FAILED: nothing is sent or received any more, everything pending fails with this
   * reason, and with what the device has reported lately. The queue pair is gone before any memory
   * goes back to its owner.
   */
  public void breakWith(TransportException reason) {
    if (life.state() == ChannelState.DRAINING) {
      // Closing needs no more than that no traffic is left, and now there is none.
      goodbyeOver();
      return;
    }
    if (life.state() != ChannelState.READY) {
      return;
    }
    TransportException why = withDeviceEvents(status.isFailing() ? status.failure() : reason);
    status.breaks(why);
    endpoints.stop(why);
    events.stopped();
    requests.failAll(why);
    status.progressed(1);
    life.broke(why, polling.isUsed());
    attendance.attendant().over(why);
  }

  private TransportException withDeviceEvents(TransportException why) {
    if (why.reason() == TransportException.Reason.PEER_CLOSED) {
      return why;
    }
    VerbsEndpoint primary = polling.primary();
    DeviceEvents deviceEvents = primary.nic().events();
    long nowNs = System.nanoTime();
    deviceEvents.poll(nowNs);
    return ChannelFailures.withEvents(why, deviceEvents.since(nowNs, primary.number()));
  }

  /**
   * Begins to close: nothing new, and GOODBYE.
   *
   * @return false if another thread closes this channel, or has
   */
  boolean beginClose() {
    if (closeState == CloseState.CLOSING || closeState == CloseState.CLOSED) {
      return false;
    }
    if (life.state() == ChannelState.FAILED) {
      become(CloseState.CLOSED);
      return true;
    }
    life.become(ChannelState.DRAINING, route::toString);
    events.closing(ChannelFailures.closedMeanwhile(route));
    boolean isSent = status.isFailing() || sendGoodbye(Goodbye.CLOSED);
    if (closeState != CloseState.CLOSED) {
      become(isSent ? CloseState.CLOSING : CloseState.CLOSED);
    }
    return true;
  }

  /** Whether it is being closed and the peer's device has yet to acknowledge the GOODBYE. */
  boolean isClosing() {
    return closeState == CloseState.CLOSING;
  }

  /** The peer's device has the GOODBYE. */
  public void goodbyeDelivered() {
    if (isFailing()) {
      breakWith(status.failure());
    } else {
      goodbyeOver();
    }
  }

  private void goodbyeOver() {
    if (closeState != CloseState.CLOSED) {
      become(CloseState.CLOSED);
    }
  }

  /** Ends everything: what is outstanding fails with CLOSED, and nothing of an endpoint is left. */
  void finishClose() {
    TransportException why = ChannelFailures.closed(route);
    if (life.state() != ChannelState.FAILED) {
      endpoints.stop(why);
    }
    requests.failAll(ChannelFailures.closedMeanwhile(route));
    status.progressed(1);
    requests.endAll();
    endpoints.forEach(VerbsEndpoint::discard);
    life.become(ChannelState.CLOSED, route::toString);
    attendance.attendant().over(why);
  }

  private void become(CloseState next) {
    closeState = closeState.next(next, route);
  }
}
