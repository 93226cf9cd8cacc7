// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.overlay;

import io.meshtransport.softverbs.rc.DeviceTimers;
import java.util.ArrayList;
import java.util.List;

/**
 * Connections that owe acknowledgements and have nothing else to send: these wait for an answer of
 * the program's that they leave with. Guarded by the device's lock.
 */
final class DeferredFlows {
  /** How long they wait where the program's thread does not come back to poll. */
  private static final long DEFERRED_NS = 2_000_000L;

  private final DeviceTimers timers;
  private final List<FlowConnection> connections = new ArrayList<>();
  private long dueNs = DeviceTimers.NEVER;

  DeferredFlows(DeviceTimers timers) {
    this.timers = timers;
  }

  boolean isEmpty() {
    return connections.isEmpty();
  }

  void add(FlowConnection connection, long nowNs) {
    if (!connection.isDeferred()) {
      connection.setDeferred(true);
      connections.add(connection);
    }
    if (dueNs == DeviceTimers.NEVER) {
      dueNs = nowNs + DEFERRED_NS;
      timers.arm(dueNs);
    }
  }

  /** The connection sends what it has, or has ended. */
  void remove(FlowConnection connection) {
    if (connection.isDeferred()) {
      connection.setDeferred(false);
      connections.remove(connection);
    }
  }

  /** Flushes all of them. */
  void flush() {
    // Each leaves the list, and others may leave it with it.
    for (int i = connections.size() - 1; i >= 0; i--) {
      if (i < connections.size()) {
        connections.get(i).flush();
      }
    }
  }

  /**
   * Flushes them if they have waited long enough.
   *
   * @return the clock reading to be called again at, or {@link DeviceTimers#NEVER}
   */
  long onTimer(long nowNs) {
    if (dueNs != DeviceTimers.NEVER && dueNs - nowNs <= 0) {
      dueNs = DeviceTimers.NEVER;
      flush();
    }
    return dueNs;
  }
}
