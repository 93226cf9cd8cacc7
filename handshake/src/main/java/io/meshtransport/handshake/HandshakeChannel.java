// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import io.meshtransport.handshake.HandshakeCounters.Counter;
import io.meshtransport.handshake.HandshakeException.Reason;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * One TCP connection of a handshake, as messages. The last handler of its pipeline; confined to the
 * event loop. Subclasses hold the state of their side and know the messages.
 */
abstract class HandshakeChannel extends ChannelInboundHandlerAdapter {
  private static final Logger LOG = LogManager.getLogger(HandshakeChannel.class);

  private final HandshakeCounters counters;
  private final MessageAssembler assembler;
  private Channel channel;
  private boolean isInputClosed;
  private boolean isHandedOver;

  HandshakeChannel(HandshakeCounters counters, MessageAssembler assembler) {
    this.counters = counters;
    this.assembler = assembler;
  }

  /** The connection stands. */
  abstract void opened();

  /** The connection is this handler's now; it stood before. */
  abstract void reused();

  /** A whole message came. */
  abstract void received(byte[] raw) throws WireException;

  /** What came is not a message, or not one that fits here. */
  abstract void malformed(Reason reason, String text);

  /** The connection has ended, by the peer's will or ours. */
  abstract void disconnected(String why);

  @Override
  public final void handlerAdded(ChannelHandlerContext context) {
    channel = context.channel();
  }

  @Override
  public final void channelActive(ChannelHandlerContext context) {
    counters.count(Counter.OPEN_CONNECTIONS);
    opened();
  }

  @Override
  public final void channelInactive(ChannelHandlerContext context) {
    counters.uncount(Counter.OPEN_CONNECTIONS);
    disconnected("the peer ended it");
  }

  @Override
  public final void channelRead(ChannelHandlerContext context, Object message) {
    ByteBuf bytes = (ByteBuf) message;
    try {
      read(bytes.nioBuffer());
    } finally {
      bytes.release();
    }
  }

  private void read(ByteBuffer bytes) {
    try {
      while (!isInputClosed) {
        Optional<byte[]> whole = assembler.assemble(bytes);
        if (whole.isEmpty()) {
          return;
        }
        received(whole.get());
      }
      if (isHandedOver && bytes.hasRemaining()) {
        // Behind the last word of this handshake came what is the next one's to judge.
        channel.pipeline().fireChannelRead(Unpooled.copiedBuffer(bytes));
      }
    } catch (WireException e) {
      isInputClosed = true;
      malformed(e.reason(), e.getMessage());
    }
  }

  @Override
  public final void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    if (!(cause instanceof IOException)) {
      LOG.error("{}: a mistake of ours; the connection is dropped", this, cause);
    }
    isInputClosed = true;
    disconnected(String.valueOf(cause.getMessage()));
    channel.close();
  }

  final Channel channel() {
    return channel;
  }

  /** Ends a connection that is still being made; without a socket there is nothing to end. */
  final void closeIfOpened() {
    if (channel != null) {
      closeConnection();
    }
  }

  final void send(byte[]... messages) {
    channel.writeAndFlush(Unpooled.wrappedBuffer(messages), channel.voidPromise());
  }

  /** Sends, and goes on once the system has taken the bytes; never if it does not. */
  final void sendThen(byte[] message, Runnable next) {
    channel
        .writeAndFlush(Unpooled.wrappedBuffer(message))
        .addListener(
            done -> {
              if (done.isSuccess()) {
                next.run();
              }
            });
  }

  /** Sends the last messages, hears nothing any more and ends the connection. */
  final void sendAndClose(byte[]... messages) {
    isInputClosed = true;
    channel
        .writeAndFlush(Unpooled.wrappedBuffer(messages))
        .addListener(ChannelFutureListener.CLOSE);
  }

  /** Whether the connection is fit for another handshake, as far as this side can see. */
  final boolean isReusable() {
    return !isInputClosed && isBetweenMessages() && channel.isActive();
  }

  /** Whether nothing has come of a message that is not whole. */
  final boolean isBetweenMessages() {
    return assembler.isEmpty();
  }

  /** Gives the connection to another, and hears nothing of it any more. */
  final void handOver(HandshakeChannel next) {
    isInputClosed = true;
    isHandedOver = true;
    channel.pipeline().replace(this, null, next);
    next.reused();
  }

  /** Ends the connection and hears nothing any more. */
  final void closeConnection() {
    isInputClosed = true;
    channel.close();
  }
}
