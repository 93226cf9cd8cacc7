// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.SocketChannel;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Netty with its native epoll transport, one event loop at each end, without Nagle's algorithm.
 * Goes there and back only.
 */
final class NettyEnd implements BenchEnd {
  private static final Duration SETUP = Duration.ofSeconds(20);
  private static final Duration LONGEST_RUN = Duration.ofMinutes(15);

  private final EventLoopGroup loop;
  private final Channel server;
  private final NettyInbound inlet = new NettyInbound();
  private final CompletableFuture<Channel> accepted = new CompletableFuture<>();
  private Channel channel;

  private NettyEnd(String host) throws InterruptedException {
    loop = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
    server =
        new ServerBootstrap()
            .group(loop)
            .channel(EpollServerSocketChannel.class)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childHandler(
                new ChannelInitializer<SocketChannel>() {
                  @Override
                  protected void initChannel(SocketChannel each) {
                    each.pipeline().addLast(inlet);
                    accepted.complete(each);
                  }
                })
            .bind(host, 0)
            .sync()
            .channel();
  }

  /**
   * @param host where to listen
   * @throws IOException if Netty has no native code for this machine
   */
  static NettyEnd open(String host) throws IOException, InterruptedException {
    if (!Epoll.isAvailable()) {
      throw new IOException("Netty's native epoll does not work here", Epoll.unavailabilityCause());
    }
    return new NettyEnd(host);
  }

  @Override
  public String address() {
    return SocketAddresses.text((InetSocketAddress) server.localAddress());
  }

  @Override
  public void connect(String address, boolean initiates) throws IOException, InterruptedException {
    channel = initiates ? connected(address) : ended(accepted, SETUP);
  }

  private Channel connected(String address) throws InterruptedException {
    return new Bootstrap()
        .group(loop)
        .channel(EpollSocketChannel.class)
        .option(ChannelOption.TCP_NODELAY, true)
        .handler(inlet)
        .connect(SocketAddresses.parse(address))
        .sync()
        .channel();
  }

  @Override
  public Measurement initiate(Workload workload, Duration warmUp, Duration time)
      throws IOException, InterruptedException {
    return run(new NettyPinger(workload.messageBytes(), new RunClock(warmUp, time)));
  }

  @Override
  public Measurement respond(Workload workload) throws IOException, InterruptedException {
    return run(new NettyEcho(workload.messageBytes()));
  }

  private Measurement run(NettyMessages run) throws IOException, InterruptedException {
    channel.eventLoop().execute(() -> inlet.run(run));
    try {
      return ended(run.measurement(), LONGEST_RUN);
    } finally {
      channel.eventLoop().execute(() -> inlet.run(null));
    }
  }

  private static <T> T ended(CompletableFuture<T> future, Duration limit)
      throws IOException, InterruptedException {
    try {
      return future.get(limit.toNanos(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      throw new IOException("Netty: " + e.getCause(), e.getCause());
    } catch (TimeoutException e) {
      throw new IOException("Netty: nothing for " + limit, e);
    }
  }

  @Override
  public void close() {
    loop.shutdownGracefully(0, SETUP.toMillis(), TimeUnit.MILLISECONDS).syncUninterruptibly();
  }
}
