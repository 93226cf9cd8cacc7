// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.rc;

import io.meshtransport.threads.FailureReports;
import io.meshtransport.verbs.AsyncEvent;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * The timers of a device: one clock reading, the earliest of all, at which every queue pair and the
 * network do what is due and name their next. Guarded by the device's lock.
 */
public final class DeviceTimers {
  /** A clock reading that never comes. */
  public static final long NEVER = Long.MAX_VALUE;

  private static final Logger LOG = LogManager.getLogger(DeviceTimers.class);

  /** When the network's timer has failed it runs again after this. */
  private static final long AFTER_FAILURE_NS = 100_000_000L;

  private final SoftDevice device;
  private final Network network;
  private final FailureReports failures;
  private long earliestNs = NEVER;

  DeviceTimers(SoftDevice device, Network network) {
    this.device = device;
    this.network = network;
    this.failures = new FailureReports("timers of device " + device.name(), LOG::warn);
  }

  /** Runs the timers at that clock reading, or earlier. */
  public void arm(long atNs) {
    if (earliestNs == NEVER || atNs - earliestNs < 0) {
      earliestNs = atNs;
      network.timerArmed(atNs);
    }
  }

  /** When the timers run next, or {@link #NEVER}. */
  public long earliestNs() {
    return earliestNs;
  }

  /** Does what is due by that clock reading. */
  public void run(long nowNs) {
    if (earliestNs == NEVER || nowNs - earliestNs < 0) {
      return;
    }
    earliestNs = NEVER;
    QueuePairTable queuePairs = device.queuePairs();
    // Backwards and by index: an engine that ends leaves the table, and an iterator is garbage.
    for (int i = queuePairs.size() - 1; i >= 0; i--) {
      if (i < queuePairs.size()) {
        run(queuePairs.engine(i), nowNs);
      }
    }
    try {
      rearm(network.onTimer(nowNs));
    } catch (RuntimeException | Error e) {
      failures.add(e);
      arm(nowNs + AFTER_FAILURE_NS);
    }
  }

  /** What is thrown over one queue pair ends that one; the timers of the others run. */
  private void run(RcEngine engine, long nowNs) {
    try {
      rearm(engine.onTimer(nowNs));
    } catch (RuntimeException | Error e) {
      failures.add(e);
      failQuietly(engine);
    }
  }

  private void failQuietly(RcEngine engine) {
    try {
      engine.fail();
      device.events().raise(AsyncEvent.Type.QP_FATAL, engine.number());
    } catch (RuntimeException | Error e) {
      failures.add(e);
    }
  }

  private void rearm(long atNs) {
    if (atNs != NEVER) {
      arm(atNs);
    }
  }
}
