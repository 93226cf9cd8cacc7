// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.meshtransport.spi.CompletionKind;
import io.meshtransport.spi.Completions;
import io.meshtransport.spi.ConnectOptions;
import io.meshtransport.spi.Connection;
import io.meshtransport.spi.Listener;
import io.meshtransport.spi.Poller;
import io.meshtransport.spi.Transport;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoop;
import io.netty.channel.IoEvent;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.unix.FileDescriptor;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One thread serves sockets as Netty's event loop and connections of ours at a poller. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SharedEventLoopTest {
  private static final Duration LIMIT = Duration.ofSeconds(20);
  private static final int MESSAGES = 1_000;

  /** A poller as one more descriptor of an event loop. Confined to the loop's thread. */
  private static final class PollerHandle implements EpollIoHandle {
    private final Poller poller;
    private final Completions done = new Completions(16);
    private final CountDownLatch echoed;
    private final Set<Thread> threads;

    private PollerHandle(Poller poller, CountDownLatch echoed, Set<Thread> threads) {
      this.poller = poller;
      this.echoed = echoed;
      this.threads = threads;
    }

    @Override
    public FileDescriptor fd() {
      return new FileDescriptor(poller.fd());
    }

    @Override
    public void handle(IoRegistration registration, IoEvent event) {
      do {
        while (poller.poll(done) > 0) {
          for (int i = 0; i < done.count(); i++) {
            ended(i);
          }
        }
      } while (!poller.arm());
    }

    private void ended(int i) {
      threads.add(Thread.currentThread());
      if (done.kind(i) == CompletionKind.RECEIVED) {
        Connection connection = done.connection(i);
        connection.isend(ByteBuffer.allocateDirect(8), 2);
        connection.irecv(ByteBuffer.allocateDirect(8), 1);
      } else if (done.kind(i) == CompletionKind.SENT) {
        echoed.countDown();
      }
    }

    @Override
    public void close() {
      // The poller is the test's.
    }
  }

  /** Sends back what comes from a socket. */
  private static final class Echo extends ChannelInboundHandlerAdapter {
    private final Set<Thread> threads;

    private Echo(Set<Thread> threads) {
      this.threads = threads;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      threads.add(Thread.currentThread());
      context.writeAndFlush((ByteBuf) message);
    }
  }

  @Test
  void shouldServeSocketsAndConnectionsInOneThread() throws Exception {
    assumeTrue(Epoll.isAvailable(), "Netty's epoll is for Linux on x86-64");
    Set<Thread> threads = ConcurrentHashMap.newKeySet();
    CountDownLatch echoed = new CountDownLatch(MESSAGES);
    MultiThreadIoEventLoopGroup group =
        new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
    try (Transport a = open(1);
        Transport b = open(2);
        Listener listener = b.listen();
        Poller poller = b.newPoller()) {
      Connection ours = a.connect(listener.handle(), ConnectOptions.DEFAULT, LIMIT);
      Connection served = listener.acceptConnection(LIMIT);
      poller.add(served);
      served.irecv(ByteBuffer.allocateDirect(8), 1);

      EventLoop loop = group.next();
      PollerHandle handle = new PollerHandle(poller, echoed, threads);
      IoRegistration registration = ((IoEventLoop) loop).register(handle).get(20, TimeUnit.SECONDS);
      loop.submit(
              () -> {
                registration.submit(EpollIoOps.EPOLLIN);
                handle.handle(registration, null);
              })
          .get(20, TimeUnit.SECONDS);

      Channel server = serve(group, threads);
      try (Socket socket = new Socket()) {
        socket.connect(server.localAddress(), 20_000);
        socket.setSoTimeout(20_000);
        for (int i = 0; i < MESSAGES; i++) {
          ours.send(ByteBuffer.allocateDirect(8), 1, LIMIT);
          assertEquals(8, ours.receive(ByteBuffer.allocateDirect(8), 2, LIMIT));
          socket.getOutputStream().write(i);
          assertEquals(i & 0xff, socket.getInputStream().read());
        }
      }
      echoed.await(20, TimeUnit.SECONDS);
      assertEquals(0, echoed.getCount());
      assertEquals(1, threads.size(), threads.toString());
      assertSame(
          loop.submit(Thread::currentThread).get(20, TimeUnit.SECONDS), threads.iterator().next());
      loop.submit(registration::cancel).get(20, TimeUnit.SECONDS);
    } finally {
      group.shutdownGracefully(0, 1, TimeUnit.SECONDS).await(20, TimeUnit.SECONDS);
    }
  }

  private static Transport open(int node) throws Exception {
    return Transport.open(
        Map.of("MESH_LOOPBACK", "127.77.43." + node + "/24", "MESH_HANDSHAKE_PORT", "0"));
  }

  private static Channel serve(MultiThreadIoEventLoopGroup group, Set<Thread> threads)
      throws Exception {
    return new ServerBootstrap()
        .group(group)
        .channel(EpollServerSocketChannel.class)
        .childHandler(
            new ChannelInitializer<>() {
              @Override
              protected void initChannel(Channel channel) {
                channel.pipeline().addLast(new Echo(threads));
              }
            })
        .bind(new InetSocketAddress("127.0.0.1", 0))
        .sync()
        .channel();
  }
}
