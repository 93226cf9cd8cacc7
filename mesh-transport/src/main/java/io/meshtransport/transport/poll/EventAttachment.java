// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.poll;

import io.meshtransport.transport.channel.ChannelCore;
import io.meshtransport.transport.endpoint.VerbsEndpoint;
import io.meshtransport.verbs.CompletionEvents;
import io.meshtransport.verbs.Errno;
import io.meshtransport.verbs.VerbsException;
import java.util.ArrayList;
import java.util.List;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * The endpoints of one channel, as far as a {@link CompletionEvents} reports their events: one, or
 * the rails that there are and those that join. Confined to the channel's lock.
 */
final class EventAttachment {
  private static final Logger LOG = LogManager.getLogger(EventAttachment.class);

  private final ChannelCore core;
  private final Object context;

  /** Null while nothing is attached. */
  private CompletionEvents events;

  /** Endpoints whose events are not reported: those of another provider's device. */
  private final List<VerbsEndpoint> unheard = new ArrayList<>(0);

  /**
   * @param context what is reported
   */
  EventAttachment(ChannelCore core, Object context) {
    this.core = core;
    this.context = context;
  }

  /**
   * Attaches all endpoints, but those on devices of another provider: a relayed connection's is in
   * software, also where the NICs are RDMA devices.
   *
   * @throws VerbsException if the primary cannot be attached for another reason; then none is
   */
  void attach(CompletionEvents to) throws VerbsException {
    attachPrimary(to);
    events = to;
    core.endpoints()
        .forEach(
            endpoint -> {
              if (endpoint != core.polling.primary()) {
                joined(endpoint);
              }
            });
  }

  private void attachPrimary(CompletionEvents to) throws VerbsException {
    VerbsEndpoint primary = core.polling.primary();
    try {
      primary.events().attach(to, context);
    } catch (VerbsException e) {
      if (e.errno() != Errno.EINVAL) {
        throw e;
      }
      unheard.add(primary);
      LOG.debug("{}: polled without its events: {}", core.route, e.getMessage());
    }
  }

  /** Attaches another endpoint, if any is. */
  void joined(VerbsEndpoint endpoint) {
    if (events == null) {
      return;
    }
    removeGone();
    try {
      endpoint.events().attach(events, context);
    } catch (VerbsException e) {
      unheard.add(endpoint);
      LOG.debug("{}: a rail is polled without its events: {}", core.route, e.getMessage());
    }
  }

  private void removeGone() {
    if (!unheard.isEmpty()) {
      List<VerbsEndpoint> present = new ArrayList<>();
      core.endpoints().forEach(present::add);
      unheard.retainAll(present);
    }
  }

  /**
   * Whether the events are reported of the endpoint on which something comes next: the primary, or
   * once that is lost the rail after it. If not, the channel has to be polled.
   */
  boolean isHeard() {
    return unheard.isEmpty() || !unheard.contains(core.endpoints().endpointToParkOn());
  }

  void detach() {
    if (events != null) {
      events = null;
      unheard.clear();
      core.endpoints().forEach(endpoint -> endpoint.events().detach());
    }
  }
}
