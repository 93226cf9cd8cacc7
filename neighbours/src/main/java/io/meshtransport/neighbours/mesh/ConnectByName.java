// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.mesh;

import io.meshtransport.spi.Connection;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import io.meshtransport.time.WaitTimes;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Connects to a service of a node by their names, over restarts of the node, and as soon as a path
 * leads there. Immutable; the calling thread waits.
 */
final class ConnectByName {
  /** Between two attempts while no path leads to the node: relays find one within a second. */
  static final long NO_PATH_PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(100);

  /** With less time left an attempt only times out, which does not say that no path leads there. */
  private static final long MIN_ATTEMPT_NS = TimeUnit.MILLISECONDS.toNanos(10);

  /** How a connect fails to a node that restarts in the middle of it. */
  private static final Set<Reason> OF_A_RESTART =
      EnumSet.of(
          Reason.PEER_UNREACHABLE,
          Reason.WRONG_PEER,
          Reason.REFUSED,
          Reason.TIMED_OUT,
          Reason.PEER_GONE,
          Reason.PEER_CLOSED);

  private final MeshState state;
  private final long settleNs;
  private final Dial dial;

  /**
   * @param settleNs how long a verdict may take
   */
  ConnectByName(MeshState state, long settleNs, Dial dial) {
    this.state = state;
    this.settleNs = settleNs;
    this.dial = dial;
  }

  /** Connects to a handle. */
  interface Dial {
    Connection dial(byte[] handle, Duration timeout) throws TransportException;
  }

  /** As {@link io.meshtransport.spi.Mesh#connect}. */
  Connection connect(String node, String service, Duration timeout) throws TransportException {
    long deadlineNs = WaitTimes.endNs(timeout);
    byte[] handle = state.awaitHandle(node, service, settleNs, timeout);
    long retryUntilNs = System.nanoTime();
    while (true) {
      long arrivals = state.arrivals();
      try {
        long leftNs = Math.max(0, deadlineNs - System.nanoTime());
        return dial.dial(handle, Duration.ofNanos(leftNs));
      } catch (TransportException e) {
        MeshState.Failed failed = new MeshState.Failed(handle, arrivals, e);
        boolean isOfARestart = OF_A_RESTART.contains(e.reason());
        boolean isAnother = e.reason() == Reason.WRONG_PEER && state.isBehindOthers(node);
        if (e.reason() == Reason.NO_ROUTE && e.retryHelps() || isAnother) {
          // The mesh may have no path either, and a cable without its protocol comes back.
          long pauseNs = System.nanoTime() + NO_PATH_PAUSE_NS;
          handle = awaitPath(node, service, failed, pauseNs, deadlineNs);
        } else if (isOfARestart && retryUntilNs - System.nanoTime() > 0) {
          handle = awaitPath(node, service, failed, deadlineNs, deadlineNs);
        } else if (isOfARestart) {
          MeshState.SettleTimes settle = new MeshState.SettleTimes(settleNs, settleNs);
          handle = state.awaitAnother(node, service, failed, settle, deadlineNs);
        } else {
          throw e;
        }
      }
      if (state.arrivals() != arrivals) {
        // What is known of its cables, and the relays' paths to it, are a moment behind.
        retryUntilNs = System.nanoTime() + settleNs;
      }
    }
  }

  /**
   * The handle to try next while no path leads to this one: another, or the same after a pause.
   *
   * @param awayUntilNs how long to wait for a node that the mesh has as out of reach
   */
  private byte[] awaitPath(
      String node, String service, MeshState.Failed failed, long awayUntilNs, long deadlineNs)
      throws TransportException {
    // A node that comes within reach during the pause does not shorten it.
    MeshState.Failed now = new MeshState.Failed(failed.handle(), state.arrivals(), failed.why());
    MeshState.SettleTimes settle = new MeshState.SettleTimes(NO_PATH_PAUSE_NS, settleNs);
    long untilNs = awayUntilNs - deadlineNs < 0 ? awayUntilNs : deadlineNs;
    try {
      return state.awaitAnother(node, service, now, settle, untilNs);
    } catch (TransportException e) {
      if (e == failed.why() && deadlineNs - System.nanoTime() > MIN_ATTEMPT_NS) {
        return failed.handle();
      }
      throw e;
    }
  }
}
