// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import io.meshtransport.spi.Completions;
import io.meshtransport.spi.Connection;
import io.meshtransport.spi.Poller;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.TransportException;
import java.util.List;

/**
 * Connections at a {@link Poller}: a poll costs as much as has ended, and one thread sleeps on all.
 */
final class PollerConnections implements PolledConnections {
  private static final int COMPLETIONS = 256;

  private final Poller poller;
  private final List<Connection> connections;
  private final RegisteredMemory memory;
  private final boolean sends;
  private final Completions completions = new Completions(COMPLETIONS);

  /**
   * @param connections that have been added to the poller
   * @param memory of all messages
   * @param sends whether requests are sends or receives
   */
  PollerConnections(
      Poller poller, List<Connection> connections, RegisteredMemory memory, boolean sends) {
    this.poller = poller;
    this.connections = connections;
    this.memory = memory;
    this.sends = sends;
  }

  @Override
  public int count() {
    return connections.size();
  }

  @Override
  public void post(int index, long offsetBytes, long lengthBytes) throws TransportException {
    Connection connection = connections.get(index);
    RequestWaits.requirePosted(
        connection,
        sends
            ? connection.isend(
                memory, offsetBytes, lengthBytes, MeshReceives.TAG, Connection.NO_DEADLINE, index)
            : connection.irecv(
                memory, offsetBytes, lengthBytes, MeshReceives.TAG, Connection.NO_DEADLINE, index));
  }

  @Override
  public int poll(Completion completion, long timeoutNs) throws TransportException {
    int count = poller.await(completions, timeoutNs);
    for (int i = 0; i < count; i++) {
      if (completions.failure(i) != null) {
        throw completions.failure(i);
      }
      completion.completed((int) completions.userData(i), completions.lengthBytes(i));
    }
    return count;
  }
}
