package io.meshtransport.bench;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;

/**
 * Makes messages of one length out of what Netty reads. On the channel's event loop, but {@link
 * #measurement}.
 */
abstract class NettyMessages extends ChannelInboundHandlerAdapter {
  private final CompletableFuture<Measurement> measurement = new CompletableFuture<>();
  private final ByteBuffer message;

  NettyMessages(int messageBytes) {
    message = ByteBuffer.allocateDirect(messageBytes);
  }

  /** Comes when the run has ended. Any thread. */
  CompletableFuture<Measurement> measurement() {
    return measurement;
  }

  /** Where messages arrive. */
  ByteBuffer message() {
    return message;
  }

  /** A whole message has arrived. */
  abstract void arrived(ChannelHandlerContext context);

  @Override
  public void channelRead(ChannelHandlerContext context, Object read) {
    ByteBuf bytes = (ByteBuf) read;
    try {
      while (bytes.isReadable()) {
        int length = Math.min(bytes.readableBytes(), message.remaining());
        message.limit(message.position() + length);
        bytes.readBytes(message);
        message.limit(message.capacity());
        if (!message.hasRemaining()) {
          message.clear();
          arrived(context);
        }
      }
    } finally {
      bytes.release();
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    measurement.completeExceptionally(
        new IllegalStateException("the other end has closed in the middle of a run"));
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    measurement.completeExceptionally(cause);
  }

  /** Sends a copy of all bytes of a buffer. */
  static void send(ChannelHandlerContext context, ByteBuffer bytes) {
    ByteBuf out = context.alloc().directBuffer(bytes.capacity());
    out.writeBytes(bytes.duplicate().clear());
    context.writeAndFlush(out);
  }
}
