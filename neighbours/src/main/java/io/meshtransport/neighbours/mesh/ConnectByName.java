// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.mesh;

import io.meshtransport.spi.Connection;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Connects to a service of a node by their names, over restarts of the node, and as soon as a path
 * leads there. Immutable; the calling thread waits.
 */
final class ConnectByName {
  /** A node that has restarted is judged by then: a verdict takes 1.5 s, its record a moment. */
  static final long SETTLE_NS = TimeUnit.SECONDS.toNanos(2);

  /** Between two attempts while no path leads to the node: relays find one within a second. */
  static final long NO_PATH_PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(100);

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
    long deadlineNs = System.nanoTime() + timeout.toNanos();
    byte[] handle = state.awaitHandle(node, service, timeout);
    while (true) {
      try {
        long leftNs = Math.max(0, deadlineNs - System.nanoTime());
        return dial.dial(handle, Duration.ofNanos(leftNs));
      } catch (TransportException e) {
        if (e.reason() == Reason.NO_ROUTE && e.retryHelps()) {
          pause(e, deadlineNs);
          continue;
        }
        if (!OF_A_RESTART.contains(e.reason())) {
          throw e;
        }
        handle = state.awaitAnother(node, service, handle, e, settleNs, deadlineNs);
      }
    }
  }

  private static void pause(TransportException why, long deadlineNs) throws TransportException {
    long leftNs = deadlineNs - System.nanoTime();
    if (leftNs <= 0) {
      throw why;
    }
    LockSupport.parkNanos(Math.min(leftNs, NO_PATH_PAUSE_NS));
    if (Thread.currentThread().isInterrupted()) {
      throw new TransportException(
          Reason.INTERRUPTED,
          "interrupted while no path led to the node: " + why.getMessage(),
          why);
    }
  }
}
