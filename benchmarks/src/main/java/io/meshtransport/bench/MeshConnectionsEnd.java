// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import io.meshtransport.spi.ConnectOptions;
import io.meshtransport.spi.Connection;
import io.meshtransport.spi.Listener;
import io.meshtransport.spi.Poller;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;

/** An end of many connections of ours, all of them at one poller. Streams only. */
final class MeshConnectionsEnd implements BenchEnd {
  private static final Duration SETUP = Duration.ofSeconds(20);

  private final Transport transport;
  private final Listener listener;
  private final Poller poller;
  private final List<Connection> connections = new ArrayList<>();

  private MeshConnectionsEnd(Transport transport) throws TransportException {
    this.transport = transport;
    this.listener = transport.listen(ConnectOptions.DEFAULT);
    this.poller = transport.newPoller();
  }

  /**
   * @param settings besides those of the environment
   */
  static MeshConnectionsEnd open(Map<String, String> settings) throws TransportException {
    Transport transport = Transport.open(settings);
    try {
      return new MeshConnectionsEnd(transport);
    } catch (TransportException e) {
      transport.close();
      throw e;
    }
  }

  @Override
  public String address() {
    return Base64.getEncoder().encodeToString(listener.handle());
  }

  @Override
  public void connect(String address, boolean initiates, int count) throws TransportException {
    byte[] peer = Base64.getDecoder().decode(address);
    while (connections.size() < count) {
      Connection next =
          initiates
              ? transport.connect(peer, ConnectOptions.DEFAULT, SETUP)
              : listener.acceptConnection(SETUP);
      poller.add(next);
      connections.add(next);
    }
  }

  @Override
  public Measurement initiate(Workload workload, RunClock clock) throws TransportException {
    try (RegisteredMemory memory = allocate(workload, true)) {
      return streams(workload, memory, true).send(clock);
    }
  }

  @Override
  public Measurement respond(Workload workload, RunClock clock) throws TransportException {
    try (RegisteredMemory memory = allocate(workload, false)) {
      return streams(workload, memory, false).receive(clock);
    }
  }

  private RegisteredMemory allocate(Workload workload, boolean sends) throws TransportException {
    if (workload.kind() != Workload.Kind.STREAM) {
      throw new IllegalArgumentException(workload + " is not measured on many connections");
    }
    int bytes =
        ConnectionStreams.memoryBytes(
            workload.connections(), workload.messageBytes(), workload.window(), sends);
    return transport.register(ByteBuffer.allocateDirect(bytes));
  }

  private ConnectionStreams streams(Workload workload, RegisteredMemory memory, boolean sends) {
    return new ConnectionStreams(
        new PollerConnections(poller, connections, memory, sends),
        memory.segments().get(0),
        workload.messageBytes(),
        workload.window(),
        sends);
  }

  @Override
  public void close() {
    poller.close();
    transport.close();
  }
}
