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
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Netty with its native epoll transport, one event loop at each end for all connections, without
 * Nagle's algorithm.
 */
final class NettyEnd implements BenchEnd {
  private static final Duration SETUP = Duration.ofSeconds(20);
  private static final Duration LONGEST_RUN = Duration.ofMinutes(15);

  private final EventLoopGroup loop;
  private final Channel server;
  private final BlockingQueue<Channel> accepted = new LinkedBlockingQueue<>();
  private List<Channel> channels = List.of();

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
                    each.pipeline().addLast(new NettyInbound());
                    accepted.add(each);
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
  public void connect(String address, boolean initiates, int connections)
      throws IOException, InterruptedException {
    List<Channel> all = new ArrayList<>();
    while (all.size() < connections) {
      all.add(initiates ? connected(address) : accepted());
    }
    channels = all;
  }

  private Channel connected(String address) throws InterruptedException {
    return new Bootstrap()
        .group(loop)
        .channel(EpollSocketChannel.class)
        .option(ChannelOption.TCP_NODELAY, true)
        .handler(new NettyInbound())
        .connect(SocketAddresses.parse(address))
        .sync()
        .channel();
  }

  private Channel accepted() throws IOException, InterruptedException {
    Channel next = accepted.poll(SETUP.toNanos(), TimeUnit.NANOSECONDS);
    if (next == null) {
      throw new IOException("Netty: no connection for " + SETUP);
    }
    return next;
  }

  @Override
  public Measurement initiate(Workload workload, RunClock clock)
      throws IOException, InterruptedException {
    return switch (workload.kind()) {
      case STREAM -> ended(new NettySender(channels, workload, clock).send());
      case PING_PONG -> run(new NettyPinger(workload.messageBytes(), clock));
      case CALLS -> new NettyCalls(channels.get(0), workload, this::run).initiate(clock);
    };
  }

  @Override
  public Measurement respond(Workload workload, RunClock clock)
      throws IOException, InterruptedException {
    return switch (workload.kind()) {
      case STREAM -> receive(new NettyReceiver(channels.size(), workload, clock));
      case PING_PONG -> run(new NettyEcho(workload.messageBytes()));
      case CALLS -> run(new NettyCallEcho(workload.messageBytes()));
    };
  }

  private Measurement run(NettyMessages run) throws IOException, InterruptedException {
    set(channels.get(0), run);
    try {
      return ended(run.measurement());
    } finally {
      set(channels.get(0), null);
    }
  }

  private Measurement receive(NettyReceiver receiver) throws IOException, InterruptedException {
    channels.forEach(channel -> set(channel, receiver.ofOneChannel()));
    try {
      return ended(receiver.measurement());
    } finally {
      channels.forEach(channel -> set(channel, null));
    }
  }

  private static void set(Channel channel, NettyMessages run) {
    channel.eventLoop().execute(() -> channel.pipeline().get(NettyInbound.class).run(run));
  }

  private static Measurement ended(CompletableFuture<Measurement> run)
      throws IOException, InterruptedException {
    try {
      return run.get(LONGEST_RUN.toNanos(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      throw new IOException("Netty: " + e.getCause(), e.getCause());
    } catch (TimeoutException e) {
      throw new IOException("Netty: nothing for " + LONGEST_RUN, e);
    }
  }

  @Override
  public void close() {
    loop.shutdownGracefully(0, SETUP.toMillis(), TimeUnit.MILLISECONDS).syncUninterruptibly();
  }
}
