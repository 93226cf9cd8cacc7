// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;

/**
 * One run: makes messages of one length out of what Netty reads. On the channel's event loop, but
 * {@link #measurement}.
 */
abstract class NettyMessages {
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
  abstract void received(ChannelHandlerContext context);

  /** The run begins. */
  abstract void begin(ChannelHandlerContext context);

  /** What was read for now is over. */
  void readComplete(ChannelHandlerContext context) {
    // Most runs answer each message at once.
  }

  /** How many bytes of the message that arrives are copied to {@link #message}; the rest is not. */
  int copiedBytes() {
    return message.capacity();
  }

  /** Accepts what was read, and releases it. */
  final void read(ChannelHandlerContext context, ByteBuf bytes) {
    try {
      while (bytes.isReadable()) {
        int length = Math.min(bytes.readableBytes(), message.remaining());
        int copied = Math.max(0, Math.min(length, copiedBytes() - message.position()));
        message.limit(message.position() + copied);
        bytes.readBytes(message);
        message.limit(message.capacity());
        bytes.skipBytes(length - copied);
        message.position(message.position() + length - copied);
        if (!message.hasRemaining()) {
          message.clear();
          received(context);
        }
      }
    } finally {
      bytes.release();
    }
  }

  /** Sends a copy of all bytes of a buffer. */
  static void send(ChannelHandlerContext context, ByteBuffer bytes) {
    ByteBuf out = context.alloc().directBuffer(bytes.capacity());
    out.writeBytes(bytes.duplicate().clear());
    context.writeAndFlush(out);
  }
}
