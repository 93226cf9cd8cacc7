// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.net.InetSocketAddress;
import java.util.function.Supplier;

/** The TCP sockets of the handshake and their options. Stateless. */
final class Sockets {
  /** Max connections that the kernel queues for us between two accepts; it may cap this lower. */
  private static final int BACKLOG = 4096;

  /** Read at once: more than any frame, and little enough for thousands of foreign connections. */
  private static final int READ_BYTES = 512;

  /** Unpooled: a pool would keep memory for the life of the process to save microseconds. */
  private static final ByteBufAllocator BUFFERS = UnpooledByteBufAllocator.DEFAULT;

  private Sockets() {}

  private static RecvByteBufAllocator reads() {
    return new FixedRecvByteBufAllocator(READ_BYTES);
  }

  /** Dials, without a time limit: the caller has a deadline. */
  static ChannelFuture connect(
      EventLoop loop, ChannelHandler handler, InetSocketAddress local, InetSocketAddress remote) {
    return new Bootstrap()
        .group(loop)
        .channel(NioSocketChannel.class)
        .option(ChannelOption.TCP_NODELAY, true)
        .option(ChannelOption.ALLOCATOR, BUFFERS)
        .option(ChannelOption.RECVBUF_ALLOCATOR, reads())
        .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, 0)
        .disableResolver()
        .handler(handler)
        .connect(remote, local);
  }

  /** Listens on one address, with a handler for each connection. */
  static ChannelFuture listen(
      EventLoop loop,
      InetSocketAddress local,
      ChannelHandler failures,
      Supplier<ChannelHandler> handlers) {
    return new ServerBootstrap()
        .group(loop)
        .channel(NioServerSocketChannel.class)
        .option(ChannelOption.SO_BACKLOG, BACKLOG)
        .option(ChannelOption.SO_REUSEADDR, true)
        .childOption(ChannelOption.TCP_NODELAY, true)
        .childOption(ChannelOption.ALLOCATOR, BUFFERS)
        .childOption(ChannelOption.RECVBUF_ALLOCATOR, reads())
        .handler(failures)
        .childHandler(
            new ChannelInitializer<Channel>() {
              @Override
              protected void initChannel(Channel channel) {
                channel.pipeline().addLast(handlers.get());
              }
            })
        .bind(local);
  }
}
