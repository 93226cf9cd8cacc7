// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/**
 * What the JDK offers: a {@link SocketChannel} without Nagle's algorithm, direct buffers, one
 * thread, which blocks, or reads again and again where a workload spins. Calls have one thread
 * more, which reads.
 */
final class SocketEnd implements BenchEnd {
  private final ServerSocketChannel server;
  private SocketChannel channel;

  private SocketEnd(ServerSocketChannel server) {
    this.server = server;
  }

  /**
   * @param host where to listen
   */
  static SocketEnd open(String host) throws IOException {
    return new SocketEnd(ServerSocketChannel.open().bind(new InetSocketAddress(host, 0)));
  }

  @Override
  public String address() {
    InetSocketAddress here = (InetSocketAddress) server.socket().getLocalSocketAddress();
    return SocketAddresses.text(here);
  }

  @Override
  public void connect(String address, boolean initiates, int connections) throws IOException {
    BenchEnd.requireOne(connections);
    channel = initiates ? SocketChannel.open(SocketAddresses.parse(address)) : server.accept();
    channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
  }

  @Override
  public Measurement initiate(Workload workload, RunClock clock)
      throws IOException, InterruptedException {
    channel.configureBlocking(workload.waiting() == Workload.Waiting.PARK);
    return switch (workload.kind()) {
      case STREAM -> stream(workload).initiate(clock);
      case PING_PONG -> ping(workload, clock);
      case CALLS -> calls(workload).initiate(workload.window(), clock);
    };
  }

  @Override
  public Measurement respond(Workload workload, RunClock clock) throws IOException {
    channel.configureBlocking(workload.waiting() == Workload.Waiting.PARK);
    return switch (workload.kind()) {
      case STREAM -> stream(workload).respond();
      case PING_PONG -> pong(workload);
      case CALLS -> calls(workload).respond();
    };
  }

  private SocketStream stream(Workload workload) {
    return new SocketStream(channel, workload.messageBytes(), workload.window());
  }

  private SocketCalls calls(Workload workload) {
    return new SocketCalls(channel, workload.messageBytes());
  }

  private Measurement ping(Workload workload, RunClock clock) throws IOException {
    int bytes = workload.messageBytes();
    ByteBuffer ping = ByteBuffer.allocateDirect(bytes);
    ByteBuffer pong = ByteBuffer.allocateDirect(bytes);
    SequencedPayload pings = new SequencedPayload(ping, 1, bytes, 1).writeBodies();
    SequencedPayload pongs = new SequencedPayload(pong, 1, bytes, 1);
    long count = 0;
    long now = System.nanoTime();
    while (clock.isRunning(now, count)) {
      pongs.clearIfVerified(count);
      pings.writeSequence(count);
      write(ping);
      read(pong);
      pongs.verifyAndCheckEnd(count, bytes);
      long begin = now;
      now = System.nanoTime();
      clock.record(now - begin);
      count++;
    }
    pings.writeEnd(count);
    write(ping);
    return clock.measurement(now, count, pongs.verified());
  }

  private Measurement pong(Workload workload) throws IOException {
    int bytes = workload.messageBytes();
    ByteBuffer message = ByteBuffer.allocateDirect(bytes);
    SequencedPayload payload = new SequencedPayload(message, 1, bytes, 1);
    long count = 0;
    payload.clearIfVerified(count);
    read(message);
    while (!payload.verifyAndCheckEnd(count, bytes)) {
      write(message);
      count++;
      payload.clearIfVerified(count);
      read(message);
    }
    return Measurement.ofResponder(count, payload.verified());
  }

  private void write(ByteBuffer message) throws IOException {
    message.clear();
    while (message.hasRemaining()) {
      channel.write(message);
    }
  }

  private void read(ByteBuffer message) throws IOException {
    message.clear();
    while (message.hasRemaining()) {
      if (channel.read(message) < 0) {
        throw new IOException("the other end has closed in the middle of a run");
      }
    }
  }

  @Override
  public void close() throws IOException {
    server.close();
    if (channel != null) {
      channel.close();
    }
  }
}
