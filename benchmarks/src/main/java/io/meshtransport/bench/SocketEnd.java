// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;

/**
 * What the JDK offers: a {@link SocketChannel} without Nagle's algorithm, direct buffers, one
 * thread, which blocks, or reads again and again where a workload spins. Goes there and back only.
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
  public void connect(String address, boolean initiates) throws IOException {
    channel = initiates ? SocketChannel.open(SocketAddresses.parse(address)) : server.accept();
    channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
  }

  @Override
  public Measurement initiate(Workload workload, Duration warmUp, Duration time)
      throws IOException {
    channel.configureBlocking(workload.waiting() == Workload.Waiting.PARK);
    int bytes = workload.messageBytes();
    ByteBuffer ping = ByteBuffer.allocateDirect(bytes);
    ByteBuffer pong = ByteBuffer.allocateDirect(bytes);
    SequencedPayload pings = new SequencedPayload(ping, 1, bytes, 1).writeBodies();
    SequencedPayload pongs = new SequencedPayload(pong, 1, bytes, 1);
    RunClock watch = new RunClock(warmUp, time);
    long count = 0;
    long now = System.nanoTime();
    while (watch.isRunning(now, count)) {
      pongs.clearIfVerified(count);
      pings.writeSequence(count);
      write(ping);
      read(pong);
      pongs.verifyAndCheckEnd(count, bytes);
      long begin = now;
      now = System.nanoTime();
      watch.record(now - begin);
      count++;
    }
    pings.writeEnd(count);
    write(ping);
    return watch.measurement(now, count, pongs.verified());
  }

  @Override
  public Measurement respond(Workload workload) throws IOException {
    channel.configureBlocking(workload.waiting() == Workload.Waiting.PARK);
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
