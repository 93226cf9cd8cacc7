// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import io.meshtransport.spi.ChannelFuture;
import io.meshtransport.spi.Listener;
import io.meshtransport.spi.ReceiveChannel;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.SendChannel;
import io.meshtransport.spi.SendMode;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;

/**
 * An end that measures Mesh Transport: a channel in each direction, and memory for the messages of
 * both. No calls.
 */
final class MeshEnd implements BenchEnd {
  private static final Duration SETUP = Duration.ofSeconds(20);

  /** Messages of at most this many bytes are received in groups: one announcement for eight. */
  private static final int GROUPED_BYTES = 16 << 10;

  private final Transport transport;
  private final Listener listener;
  private SendChannel out;
  private ReceiveChannel in;

  private MeshEnd(Transport transport, Listener listener) {
    this.transport = transport;
    this.listener = listener;
  }

  /**
   * @param settings besides those of the environment
   */
  static MeshEnd open(Map<String, String> settings) throws TransportException {
    return over(Transport.open(settings));
  }

  /**
   * @param transport this object's to close, also if this throws
   */
  static MeshEnd over(Transport transport) throws TransportException {
    try {
      return new MeshEnd(transport, transport.listen());
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
    BenchEnd.requireOne(connections);
    ChannelFuture<ReceiveChannel> accepting = listener.accept();
    out = transport.connect(Base64.getDecoder().decode(address)).await(SETUP);
    in = accepting.await(SETUP);
  }

  @Override
  public Measurement initiate(Workload workload, RunClock clock) throws TransportException {
    requireNoCalls(workload);
    out.sendMode(mode(workload));
    if (workload.kind() == Workload.Kind.STREAM) {
      try (RegisteredMemory outgoing = allocate(workload, workload.window())) {
        MeshSends sends = new MeshSends(out, outgoing, workload.window(), workload.waiting());
        return new MeshStream(workload, groupSize(workload)).send(sends, clock);
      }
    }
    try (RegisteredMemory outgoing = allocate(workload, MeshPingPong.SLOTS);
        RegisteredMemory incoming = allocate(workload, MeshPingPong.SLOTS)) {
      MeshSends sends = new MeshSends(out, outgoing, MeshPingPong.SLOTS, workload.waiting());
      return new MeshPingPong(workload, groupSize(workload)).initiate(sends, in, incoming, clock);
    }
  }

  @Override
  public Measurement respond(Workload workload, RunClock clock) throws TransportException {
    requireNoCalls(workload);
    if (workload.kind() == Workload.Kind.STREAM) {
      MeshStream stream = new MeshStream(workload, groupSize(workload));
      try (RegisteredMemory incoming = allocate(workload, stream.depth())) {
        return stream.receive(in, incoming);
      }
    }
    try (RegisteredMemory incoming = allocate(workload, MeshPingPong.SLOTS)) {
      out.sendMode(mode(workload));
      // Answers leave from where the question has arrived.
      MeshSends sends = new MeshSends(out, incoming, MeshPingPong.SLOTS, workload.waiting());
      return new MeshPingPong(workload, groupSize(workload)).respond(sends, in, incoming);
    }
  }

  private static void requireNoCalls(Workload workload) {
    if (workload.kind() == Workload.Kind.CALLS) {
      throw new IllegalArgumentException(workload + " is measured over sessions");
    }
  }

  /** An acknowledgement for each of a few large messages costs little beside them. */
  private static SendMode mode(Workload workload) {
    return workload.messageBytes() <= GROUPED_BYTES ? SendMode.STREAM : SendMode.LATENCY;
  }

  private static int groupSize(Workload workload) {
    return workload.messageBytes() <= GROUPED_BYTES ? Transport.MAX_GROUP : 1;
  }

  private RegisteredMemory allocate(Workload workload, int slots) throws TransportException {
    return transport.register(ByteBuffer.allocateDirect(slots * workload.messageBytes()));
  }

  @Override
  public void close() {
    transport.close();
  }
}
