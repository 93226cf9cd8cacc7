// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * A {@link SocketEnd} whose peer is behind a process that only copies: it reads a socket, up to 256
 * KiB at once, and writes them to the next. What a relay can reach at best where the processors of
 * all nodes are the same. The node between has one of these, too, which is told whom it copies to.
 */
final class CopiedSocketEnd implements BenchEnd {
  private static final int COPY_BYTES = 256 << 10;
  private static final Logger LOG = LogManager.getLogger(CopiedSocketEnd.class);

  private final String host;
  private final SocketEnd end;
  private final ServerSocketChannel between;

  private CopiedSocketEnd(String host, SocketEnd end, ServerSocketChannel between) {
    this.host = host;
    this.end = end;
    this.between = between;
  }

  /**
   * @param host where to listen
   */
  static CopiedSocketEnd open(String host) throws IOException {
    ServerSocketChannel between = ServerSocketChannel.open().bind(new InetSocketAddress(host, 0));
    return new CopiedSocketEnd(host, SocketEnd.open(host), between);
  }

  /** Of the end, then of what copies. */
  @Override
  public String address() {
    InetSocketAddress here = (InetSocketAddress) between.socket().getLocalSocketAddress();
    return end.address() + "/" + SocketAddresses.text(here);
  }

  @Override
  public void connect(String address, boolean initiates, int connections) throws IOException {
    String[] both = address.split("/");
    end.connect(initiates ? both[1] : both[0], initiates, connections);
  }

  @Override
  public void passOn(String address) throws IOException {
    SocketChannel to = SocketChannel.open(SocketAddresses.parse(address.split("/")[0]));
    SocketChannel from = between.accept();
    for (SocketChannel each : new SocketChannel[] {to, from}) {
      each.setOption(StandardSocketOptions.TCP_NODELAY, true);
    }
    start(from, to);
    start(to, from);
  }

  private void start(SocketChannel from, SocketChannel to) {
    Thread copies = new Thread(() -> copy(from, to), "copies-" + host);
    copies.setDaemon(true);
    copies.start();
  }

  private static void copy(SocketChannel from, SocketChannel to) {
    ByteBuffer bytes = ByteBuffer.allocateDirect(COPY_BYTES);
    try (from;
        to) {
      while (from.read(bytes.clear()) >= 0) {
        bytes.flip();
        while (bytes.hasRemaining()) {
          to.write(bytes);
        }
      }
    } catch (IOException e) {
      LOG.debug("copying has ended", e);
    }
  }

  @Override
  public Measurement initiate(Workload workload, RunClock clock)
      throws IOException, InterruptedException {
    return end.initiate(workload, clock);
  }

  @Override
  public Measurement respond(Workload workload, RunClock clock) throws IOException {
    return end.respond(workload, clock);
  }

  @Override
  public void close() throws IOException {
    between.close();
    end.close();
  }
}
