// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.connect;

import io.meshtransport.handshake.NodeId;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Connects and handshakes of further rails that have not ended. Gives all of them up when their
 * transport closes. Any thread may call it.
 */
public final class PendingConnects {
  private final Set<Connector> connectors = ConcurrentHashMap.newKeySet();
  private final Set<CompletableFuture<?>> railHandshakes = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  /** Ends the connector when the transport closes, also if that was a moment ago. */
  public void add(Connector connector) {
    connectors.removeIf(other -> other.opening().isDone());
    connectors.add(connector);
    if (closed) {
      // close() may have read the set before this one was added.
      connector.end();
    }
  }

  /** Cancels a rail's handshake when the transport closes before its end. */
  void add(CompletableFuture<?> railHandshake) {
    railHandshakes.add(railHandshake);
    railHandshake.whenComplete((outcome, failure) -> railHandshakes.remove(railHandshake));
    if (closed) {
      // close() may have read the set before this one was added.
      railHandshake.cancel(false);
    }
  }

  /** Whether the transport is closing, so that no rail is worth a handshake. */
  boolean isClosed() {
    return closed;
  }

  /** From here on {@link #isClosed}; what is added later ends at once. */
  public void refuseMore() {
    closed = true;
  }

  /** Gives up the connects to a node that is gone. */
  public void nodeGone(NodeId node, String evidence) {
    connectors.stream()
        .filter(each -> each.peerNode().equals(Optional.of(node)))
        .forEach(each -> each.nodeGone(evidence));
  }

  public void endAll() {
    connectors.forEach(Connector::end);
    railHandshakes.forEach(handshake -> handshake.cancel(false));
  }
}
