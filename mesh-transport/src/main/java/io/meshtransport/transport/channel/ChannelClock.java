// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.channel;

import io.meshtransport.spi.Counter;
import io.meshtransport.spi.Route;
import io.meshtransport.transport.device.DeviceEvents;
import io.meshtransport.transport.endpoint.VerbsEndpoint;

/**
 * What happens on a channel because time has passed: deadlines end requests, a silent peer is
 * probed, and an endpoint without a carrier fails. Confined to the channel's lock.
 */
public final class ChannelClock {
  private final Route route;
  private final CoreStatus status;
  private final Requests requests;
  private final Liveness liveness;
  private final CompletionPolling polling;
  private final ChannelShutdown shutdown;
  private ChannelEndpoints endpoints;
  private EndpointEvents events;

  ChannelClock(
      Route route,
      CoreStatus status,
      Requests requests,
      Liveness liveness,
      CompletionPolling polling,
      ChannelShutdown shutdown) {
    this.route = route;
    this.status = status;
    this.requests = requests;
    this.liveness = liveness;
    this.polling = polling;
    this.shutdown = shutdown;
  }

  void attach(ChannelEndpoints channelEndpoints, EndpointEvents endpointEvents) {
    endpoints = channelEndpoints;
    events = endpointEvents;
  }

  /** Does all that is due. */
  void check(long nowNs) {
    shutdown.checkClock(nowNs);
    int late = status.isReady() && !status.isFailing() ? requests.overdue(nowNs) : -1;
    if (late >= 0) {
      events.deadlinePassed(late);
      status.progressed(1);
    }
    if (liveness.mustProbe(nowNs) && status.isReady() && requests.anyPending()) {
      probe(nowNs);
    }
    if (status.isLive()) {
      endpoints.failWithoutCarrier(nowNs);
    }
  }

  /** Probes a silent peer though no request is pending, for a channel that is not in use yet. */
  void checkUnused(long nowNs) {
    if (liveness.mustProbe(nowNs) && status.isReady()) {
      probe(nowNs);
    }
  }

  /** A silence is the time to read what the device itself reports, too. */
  private void probe(long nowNs) {
    liveness.probed();
    VerbsEndpoint primary = polling.primary();
    DeviceEvents deviceEvents = primary.nic().events();
    deviceEvents.poll(nowNs);
    if (deviceEvents.isDeviceLost()) {
      endpoints.endpointFailed(primary, ChannelFailures.deviceLost(route));
    } else {
      requests.counts().add(Counter.KEEPALIVES_SENT, 1);
      endpoints.sendKeepalives();
    }
  }

  /** Whether a keepalive is on its way and has no answer. */
  boolean isProbed() {
    return liveness.isProbed();
  }

  /**
   * Fails an endpoint whose port has lacked a carrier for longer than its queue pair may try: an
   * adapter has reported it by then. Soft-RoCE may not: on kernel 6.1 a queue pair under load whose
   * interface was set down neither sent a packet nor counted a retry nor failed for a minute.
   */
  public void failIfWithoutCarrier(VerbsEndpoint probed, long nowNs) {
    long withoutNs = probed.nic().withoutCarrierNs(nowNs);
    if (withoutNs > probed.triesForNs()) {
      endpoints.endpointFailed(
          probed, ChannelFailures.withoutCarrier(route, probed.nic().nic().netdev(), withoutNs));
    }
  }

  /** Nanoseconds until a deadline passes here, at most the given number. */
  public long untilDeadlineNs(long nowNs, long atMostNs) {
    return shutdown.isFailing()
        ? Math.min(atMostNs, shutdown.untilBrokenNs(nowNs))
        : requests.untilDeadlineNs(nowNs, atMostNs);
  }
}
