// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench.downcalls;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/** Both ends of a plain connection, in non-blocking mode. One thread. */
final class SocketPath implements HalfRoundTrip.MessagePath {
  private static final int MAX_READS = 1 << 20;

  private final ByteBuffer bytes = ByteBuffer.allocateDirect(Long.BYTES);
  private final SocketChannel one;
  private final SocketChannel other;

  SocketPath() throws IOException {
    try (ServerSocketChannel server = ServerSocketChannel.open()) {
      server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      one = end(SocketChannel.open(server.getLocalAddress()));
      other = end(server.accept());
    }
  }

  private static SocketChannel end(SocketChannel channel) throws IOException {
    channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    channel.configureBlocking(false);
    return channel;
  }

  @Override
  public long there(long number) throws IOException {
    return move(one, other, number);
  }

  @Override
  public long back(long number) throws IOException {
    return move(other, one, number);
  }

  private long move(SocketChannel from, SocketChannel to, long number) throws IOException {
    bytes.clear().putLong(0, number);
    from.write(bytes);
    if (bytes.hasRemaining()) {
      throw new IOException("the kernel did not take eight bytes");
    }
    bytes.clear().putLong(0, 0);
    for (int i = 0; i < MAX_READS && bytes.hasRemaining(); i++) {
      to.read(bytes);
    }
    return bytes.getLong(0);
  }

  @Override
  public void close() throws IOException {
    one.close();
    other.close();
  }
}
