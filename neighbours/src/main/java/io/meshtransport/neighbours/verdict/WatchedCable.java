// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.verdict;

import io.meshtransport.neighbours.adjacency.Adjacency;
import io.meshtransport.neighbours.adjacency.AdjacencyId;
import io.meshtransport.neighbours.adjacency.DownReason;
import io.meshtransport.neighbours.wire.LinkCondition;
import java.net.InetAddress;
import java.util.concurrent.TimeUnit;

/** A cable between this node and a neighbour, with the connection to the neighbour's host. */
final class WatchedCable {
  /** Min pause between two attempts, so that a host that ends each at once costs little. */
  static final long GAP_NS = TimeUnit.MILLISECONDS.toNanos(100);

  /** Pause between attempts while hellos arrive and no connection is accepted. */
  static final long RETRY_NS = TimeUnit.SECONDS.toNanos(2);

  /** An attempt that the port has lost counts as unanswered after this long. */
  private static final long LOST_NS = 2 * LivenessPort.TIMEOUT_NS;

  final AdjacencyId id;
  final long incarnation;
  final String label;
  InetAddress address;
  boolean isUp = true;
  LinkCondition condition = LinkCondition.UP;
  DownReason reason;
  long lastHelloNs;
  long downNs;
  boolean isCutReported;

  /** Whether this life of the neighbour has had a connection: only then is its end evidence. */
  boolean hadConnection;

  private final LivenessPort port;
  private boolean hasConnection;
  private boolean isProbing;
  private long nextProbeNs;
  private long probedNs;

  WatchedCable(Adjacency adjacency, String interfaceName, LivenessPort port) {
    this.id = adjacency.id();
    this.incarnation = adjacency.incarnation();
    this.label =
        interfaceName + " - " + adjacency.hello().name() + "/" + adjacency.hello().interfaceName();
    this.address = adjacency.source();
    this.port = port;
  }

  void up(Adjacency adjacency, long nowNs) {
    isUp = true;
    condition = LinkCondition.UP;
    isCutReported = false;
    address = adjacency.source();
    if (!hasConnection) {
      probe(nowNs);
    }
  }

  void down(DownReason why, long heardNs, long nowNs) {
    isUp = false;
    reason = why;
    downNs = nowNs;
    lastHelloNs = heardNs;
    if (why == DownReason.INTERFACE_GONE) {
      condition = LinkCondition.DOWN;
      hasConnection = false;
      isProbing = false;
      port.release(id);
    } else if (why == DownReason.PROCESS_GONE) {
      condition = LinkCondition.REFUSED;
    } else {
      condition = LinkCondition.DOWN;
      probe(nowNs);
    }
  }

  private void probe(long nowNs) {
    if (isProbing) {
      return;
    }
    nextProbeNs = Math.max(nowNs, probedNs + GAP_NS);
    if (nextProbeNs == nowNs) {
      probedNs = nowNs;
      isProbing = true;
      port.probe(id, address);
    }
  }

  /** The last attempt has this answer. */
  void answered(ProbeAnswer answer) {
    isProbing = false;
    hasConnection = answer == ProbeAnswer.ACCEPTED;
    hadConnection |= hasConnection;
    if (!isUp) {
      condition =
          switch (answer) {
            case ACCEPTED -> LinkCondition.ACCEPTED;
            case REFUSED -> LinkCondition.REFUSED;
            case NONE -> LinkCondition.DOWN;
          };
    }
  }

  /** The connection has ended, and not by this node. */
  void ended(long nowNs) {
    hasConnection = false;
    probe(nowNs);
  }

  /** Tries again where an attempt is due. */
  void tick(long nowNs) {
    if (isProbing && nowNs - probedNs >= LOST_NS) {
      isProbing = false;
    }
    if (nowNs >= nextDueNs()) {
      probe(nowNs);
    }
  }

  /** Whether an answer is still to come. */
  boolean isProbing() {
    return isProbing || nextProbeNs > probedNs;
  }

  long nextDueNs() {
    if (isProbing) {
      return probedNs + LOST_NS;
    }
    if (nextProbeNs > probedNs) {
      return nextProbeNs;
    }
    return isUp && !hasConnection ? probedNs + RETRY_NS : Long.MAX_VALUE;
  }

  void release() {
    port.release(id);
  }
}
