// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import io.meshtransport.spi.CompletionKind;
import io.meshtransport.spi.Completions;
import io.meshtransport.spi.Connection;
import io.meshtransport.spi.TransportException;
import java.util.ArrayDeque;

/** The poller of one node of a {@link VirtualNetwork}. One thread. */
final class VirtualPoller extends TestPoller {
  private record Entry(
      Connection connection,
      CompletionKind kind,
      long userData,
      long lengthBytes,
      TransportException failure) {}

  private final VirtualNetwork network;
  private final int node;
  private final Runnable onReady;
  private final ArrayDeque<Entry> ready = new ArrayDeque<>();
  private boolean isPlanned;

  /**
   * @param onReady something has come, and the node has found the time to look
   */
  VirtualPoller(VirtualNetwork network, int node, Runnable onReady) {
    this.network = network;
    this.node = node;
    this.onReady = onReady;
  }

  void report(
      Connection connection,
      CompletionKind kind,
      long userData,
      long lengthBytes,
      TransportException failure) {
    ready.add(new Entry(connection, kind, userData, lengthBytes, failure));
    plan();
  }

  private void plan() {
    if (!isPlanned) {
      isPlanned = true;
      network.clock().in(network.pollDelayNs(node), this::look);
    }
  }

  private void look() {
    isPlanned = false;
    if (!network.isDead(node)) {
      onReady.run();
      if (!ready.isEmpty()) {
        plan();
      }
    }
  }

  @Override
  public void add(Connection connection) {
    VirtualEnd.of(connection).reportTo(this);
  }

  @Override
  public int poll(Completions into) {
    into.clear();
    while (!ready.isEmpty() && !into.isFull()) {
      Entry next = ready.remove();
      into.add(next.connection, next.kind, next.userData, -1, next.lengthBytes, next.failure);
    }
    return into.count();
  }

  @Override
  public int await(Completions into, long timeoutNs) {
    throw new UnsupportedOperationException("no thread waits in virtual time");
  }

  /** Nothing waits. */
  @Override
  public void wakeup() {}

  @Override
  public void close() {
    ready.clear();
  }
}
