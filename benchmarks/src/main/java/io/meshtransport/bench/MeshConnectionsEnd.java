// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import io.meshtransport.spi.Channel;
import io.meshtransport.spi.Listener;
import io.meshtransport.spi.ReceiveChannel;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.SendChannel;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/**
 * An end of many one-way channels of ours, from the initiator to the responder, that are polled by
 * one thread. Streams only.
 */
final class MeshConnectionsEnd implements BenchEnd {
  /** Concurrent set-ups. */
  private static final int AT_ONCE = 100;

  private final Transport transport;
  private final Listener listener;
  private List<SendChannel> out = List.of();
  private List<ReceiveChannel> in = List.of();

  private MeshConnectionsEnd(Transport transport, Listener listener) {
    this.transport = transport;
    this.listener = listener;
  }

  /**
   * @param settings besides those of the environment
   */
  static MeshConnectionsEnd open(Map<String, String> settings) throws TransportException {
    Transport transport = Transport.open(settings);
    try {
      return new MeshConnectionsEnd(transport, transport.listen());
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
  public void connect(String address, boolean initiates, int connections)
      throws TransportException {
    List<byte[]> peers =
        Collections.nCopies(initiates ? connections : 0, Base64.getDecoder().decode(address));
    ConcurrentSetUps setUps = new ConcurrentSetUps(transport);
    setUps.run(listener, peers, initiates ? 0 : connections, AT_ONCE);
    out = setUps.out();
    in = setUps.in();
  }

  @Override
  public Measurement initiate(Workload workload, RunClock clock) throws TransportException {
    try (RegisteredMemory memory = allocate(workload, true)) {
      return streams(workload, out, memory, true).send(clock);
    }
  }

  @Override
  public Measurement respond(Workload workload, RunClock clock) throws TransportException {
    try (RegisteredMemory memory = allocate(workload, false)) {
      return streams(workload, in, memory, false).receive(clock);
    }
  }

  private RegisteredMemory allocate(Workload workload, boolean sends) throws TransportException {
    if (workload.kind() != Workload.Kind.STREAM) {
      throw new IllegalArgumentException(workload + " is not measured on many channels");
    }
    int bytes =
        ConnectionStreams.memoryBytes(
            workload.connections(), workload.messageBytes(), workload.window(), sends);
    return transport.register(ByteBuffer.allocateDirect(bytes));
  }

  private static ConnectionStreams streams(
      Workload workload, List<? extends Channel> channels, RegisteredMemory memory, boolean sends) {
    return new ConnectionStreams(
        new TestedChannels(channels, memory, ConnectionStreams.slots(workload.window(), sends)),
        memory.segments().get(0),
        workload.messageBytes(),
        workload.window(),
        sends);
  }

  @Override
  public void close() {
    transport.close();
  }
}
