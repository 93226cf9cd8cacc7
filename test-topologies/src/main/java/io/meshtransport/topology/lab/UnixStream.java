// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology.lab;

import io.meshtransport.topology.FabricException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;

/**
 * A connection that QEMU makes to a socket file of ours, as streams that two threads may use, one
 * reading and one writing: those of {@code Channels} share a lock, and a reader that waits would
 * block the writer.
 */
final class UnixStream implements AutoCloseable {
  /** Capacity for a path in sockaddr_un, less its final zero: unix(7). */
  private static final int MAX_PATH_BYTES = 107;

  private final SocketChannel channel;

  private UnixStream(SocketChannel channel) {
    this.channel = channel;
  }

  /**
   * Listens at a path, for a program started afterwards, and accepts one connection.
   *
   * @param listener closed by the caller if no connection comes, which ends the future with an
   *     exception
   */
  record Listening(ServerSocketChannel listener, CompletableFuture<UnixStream> connection) {}

  static Listening listen(Path path) throws IOException {
    if (path.toString().getBytes().length > MAX_PATH_BYTES) {
      throw new FabricException(
          "too long for a socket's path: " + path + ". Set java.io.tmpdir to a shorter one");
    }
    ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    listener.bind(UnixDomainSocketAddress.of(path));
    CompletableFuture<UnixStream> connection = new CompletableFuture<>();
    Thread acceptor = new Thread(() -> accept(listener, connection), "mesh-lab-accept");
    acceptor.setDaemon(true);
    acceptor.start();
    return new Listening(listener, connection);
  }

  private static void accept(
      ServerSocketChannel listener, CompletableFuture<UnixStream> connection) {
    try (listener) {
      connection.complete(new UnixStream(listener.accept()));
    } catch (IOException e) {
      connection.completeExceptionally(e);
    }
  }

  InputStream input() {
    return new InputStream() {
      @Override
      public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
      }

      @Override
      public int read(byte[] target, int offset, int length) throws IOException {
        return channel.read(ByteBuffer.wrap(target, offset, length));
      }
    };
  }

  OutputStream output() {
    return new OutputStream() {
      @Override
      public void write(int value) throws IOException {
        write(new byte[] {(byte) value}, 0, 1);
      }

      @Override
      public void write(byte[] source, int offset, int length) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(source, offset, length);
        while (bytes.hasRemaining()) {
          channel.write(bytes);
        }
      }
    };
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
