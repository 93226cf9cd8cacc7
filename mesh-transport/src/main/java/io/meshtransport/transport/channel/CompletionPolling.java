// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.channel;

import io.meshtransport.spi.Counter;
import io.meshtransport.spi.Route;
import io.meshtransport.spi.TransportException;
import io.meshtransport.transport.endpoint.VerbsEndpoint;
import io.meshtransport.transport.endpoint.WorkRequestId;
import io.meshtransport.verbs.CompletionStatus;
import io.meshtransport.verbs.VerbsDevice;
import io.meshtransport.verbs.WorkCompletions;
import java.util.function.Consumer;

/**
 * Polls the endpoints of a channel and dispatches their completions: to {@link EndpointEvents} what
 * succeeded, to {@link ChannelEndpoints} what failed. Confined to the channel's lock.
 */
public final class CompletionPolling {
  private final Route route;
  private final CoreStatus status;
  private final Attendance attendance;
  private final Requests requests;
  private final Liveness liveness;
  private final Consumer<VerbsEndpoint> arming = this::arm;

  /** The endpoint that control messages use; a channel of several changes it when it is lost. */
  private VerbsEndpoint primary;

  private ChannelEndpoints endpoints;
  private EndpointEvents events;

  /** Whether anything came from the peer's program, or got to it. */
  private boolean isUsed;

  CompletionPolling(
      Route route,
      VerbsEndpoint primary,
      CoreStatus status,
      Attendance attendance,
      Requests requests,
      Liveness liveness) {
    this.route = route;
    this.primary = primary;
    this.status = status;
    this.attendance = attendance;
    this.requests = requests;
    this.liveness = liveness;
  }

  void attach(ChannelEndpoints channelEndpoints, EndpointEvents endpointEvents) {
    endpoints = channelEndpoints;
    events = endpointEvents;
  }

  public VerbsEndpoint primary() {
    return primary;
  }

  /** From now on control messages use another endpoint. */
  public void switchPrimary(VerbsEndpoint next) {
    primary = next;
  }

  /** Whether anything came from the peer's program, or got to it. */
  boolean isUsed() {
    return isUsed;
  }

  /** Polls one batch of completions of an endpoint and dispatches them; returns how many. */
  public int poll(VerbsEndpoint from) {
    int count = from.poll();
    if (count < 0) {
      endpoints.endpointFailed(from, ChannelFailures.poll(route, -count));
      return 0;
    }
    requests.counts().add(Counter.POLLS, 1);
    if (count > 0) {
      status.progressed(count);
    } else {
      requests.counts().add(Counter.EMPTY_POLLS, 1);
    }
    WorkCompletions batch = from.completions();
    for (int position = 0; position < count && status.isLive(); position++) {
      dispatch(from, batch, position);
    }
    if (count > 0 && status.isLive()) {
      events.batchCompleted(from);
    }
    return count;
  }

  private void dispatch(VerbsEndpoint from, WorkCompletions batch, int position) {
    long id = batch.id(position);
    int kind = WorkRequestId.kind(id);
    int index = WorkRequestId.index(id);
    CompletionStatus outcome = batch.status(position);
    if (outcome != CompletionStatus.SUCCESS) {
      requestFailed(from, kind, index, outcome, batch.vendorError(position));
      return;
    }
    // The peer's device answers these even if its program has given the channel up.
    isUsed |= kind != WorkRequestId.CONTROL && kind != WorkRequestId.KEEPALIVE;
    if (kind == WorkRequestId.KEEPALIVE) {
      endpoints.keepaliveAnswered(from);
      liveness.answered();
    } else {
      events.completed(from, kind, index, batch, position);
    }
  }

  private void requestFailed(
      VerbsEndpoint from, int kind, int index, CompletionStatus outcome, int vendorError) {
    TransportException why = reason(from, WorkRequestId.describe(kind), outcome, vendorError);
    endpoints.requestFailed(from, kind, events.failure(kind, index, outcome, why));
  }

  private TransportException reason(
      VerbsEndpoint from, String what, CompletionStatus outcome, int vendorError) {
    VerbsDevice device = from.nic().device();
    String evidence = device.vendorErrorText(vendorError);
    if (device.isOrderlyShutdown(vendorError)) {
      return ChannelFailures.peerShutDown(route, what, outcome, evidence);
    }
    // A queue pair that refuses a put or get of the peer flushes what is outstanding here, and only
    // its event says why.
    return outcome == CompletionStatus.WR_FLUSH_ERR && from.hasRefusedAccess()
        ? ChannelFailures.accessRefusedHere(route)
        : ChannelFailures.completion(route, what, outcome, vendorError, evidence);
  }

  /** Requests an event of each endpoint for its next completion. */
  public void armAll() {
    endpoints.forEach(arming);
    endpoints.allArmed();
  }

  /** Requests an event of one endpoint for its next completion. */
  void arm(VerbsEndpoint endpoint) {
    int errno = status.isLive() ? endpoint.arm() : 0;
    if (errno != 0) {
      endpoints.endpointFailed(
          endpoint, ChannelFailures.post(route, "a request for an event", errno));
    }
  }

  /**
   * An endpoint has joined those that there are: one who sleeps until an event is to hear of it,
   * and what has come there already raises none.
   */
  public void endpointJoined(VerbsEndpoint endpoint) {
    attendance.attendant().joined(endpoint);
    arm(endpoint);
    int count;
    do {
      count = poll(endpoint);
    } while (count > 0 && status.isLive());
  }
}
