// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import io.meshtransport.spi.TransportException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/**
 * An end of many connections over one {@link AcknowledgedSocket}: shows what the JDK's sockets let
 * anybody reach who makes our promises. Streams only.
 */
final class AcknowledgedSocketEnd implements BenchEnd {
  private final ServerSocketChannel server;
  private SocketChannel channel;

  private AcknowledgedSocketEnd(ServerSocketChannel server) {
    this.server = server;
  }

  /**
   * @param host where to listen
   */
  static AcknowledgedSocketEnd open(String host) throws IOException {
    return new AcknowledgedSocketEnd(
        ServerSocketChannel.open().bind(new InetSocketAddress(host, 0)));
  }

  @Override
  public String address() {
    return SocketAddresses.text((InetSocketAddress) server.socket().getLocalSocketAddress());
  }

  @Override
  public void connect(String address, boolean initiates, int connections) throws IOException {
    channel = initiates ? SocketChannel.open(SocketAddresses.parse(address)) : server.accept();
    channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
  }

  @Override
  public Measurement initiate(Workload workload, RunClock clock)
      throws IOException, TransportException {
    ByteBuffer memory = memory(workload, true);
    try (AcknowledgedSocket socket = socket(workload, memory, true)) {
      return streams(socket, workload, memory, true).send(clock);
    }
  }

  @Override
  public Measurement respond(Workload workload, RunClock clock)
      throws IOException, TransportException {
    ByteBuffer memory = memory(workload, false);
    try (AcknowledgedSocket socket = socket(workload, memory, false)) {
      return streams(socket, workload, memory, false).receive(clock);
    }
  }

  private static ByteBuffer memory(Workload workload, boolean sends) {
    if (workload.kind() != Workload.Kind.STREAM) {
      throw new IllegalArgumentException(workload + " is not measured with acknowledgements");
    }
    return ByteBuffer.allocateDirect(
        ConnectionStreams.memoryBytes(
            workload.connections(), workload.messageBytes(), workload.window(), sends));
  }

  private AcknowledgedSocket socket(Workload workload, ByteBuffer memory, boolean sends)
      throws IOException {
    return new AcknowledgedSocket(channel, workload.connections(), memory, sends);
  }

  private static ConnectionStreams streams(
      AcknowledgedSocket socket, Workload workload, ByteBuffer memory, boolean sends) {
    return new ConnectionStreams(socket, memory, workload.messageBytes(), workload.window(), sends);
  }

  @Override
  public void close() throws IOException {
    server.close();
    if (channel != null) {
      channel.close();
    }
  }
}
