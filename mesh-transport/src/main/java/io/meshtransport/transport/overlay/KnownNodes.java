// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.overlay;

import io.meshtransport.handshake.NodeId;
import io.meshtransport.nic.Gid;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * The nodes that queue pairs may connect to, by their addresses in the overlay: each for a while,
 * since nodes come with new ids whenever they restart. Any thread.
 */
final class KnownNodes {
  /** How long a node without a stream is known: more than a set-up takes. */
  static final long KNOWN_NS = TimeUnit.SECONDS.toNanos(60);

  private final Map<Gid, Known> nodes = new ConcurrentHashMap<>();

  /** A node, and when it was known last. */
  private static final class Known {
    final NodeId node;
    volatile long sinceNs;

    Known(NodeId node, long sinceNs) {
      this.node = node;
      this.sinceNs = sinceNs;
    }
  }

  /** The node is known for the next {@link #KNOWN_NS}. */
  void add(NodeId node, long nowNs) {
    nodes.put(Gid.of(OverlayAddress.of(node)), new Known(node, nowNs));
    nodes.values().removeIf(each -> nowNs - each.sinceNs >= KNOWN_NS);
  }

  /** As {@link #add}, of a node that is still known; otherwise nothing. */
  void keep(Gid address, long nowNs) {
    Known known = nodes.get(address);
    if (known != null) {
      known.sinceNs = nowNs;
    }
  }

  /** The node that has the address. */
  Optional<NodeId> find(Gid address) {
    return Optional.ofNullable(nodes.get(address)).map(known -> known.node);
  }
}
