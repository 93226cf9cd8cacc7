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
 * event loop. Subclasses have the state of their side and know the messages.
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

  /** The TCP connection is established. */
  abstract void opened();

  /** This handler has replaced another one of an established connection. */
  abstract void reused();

  /** A complete message arrived. */
  abstract void received(byte[] raw) throws WireException;

  /**
   * The bytes that arrived are no message, or not one that is valid now.
   *
   * @param arrived what came together, with the first byte of a message; empty where that byte had
   *     come before; valid during the call
   */
  abstract void malformed(Reason reason, String text, ByteBuffer arrived);

  /** The connection is closed, by the peer or by us. */
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
    disconnected("the peer closed it");
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
    int begin = assembler.isEmpty() ? bytes.position() : bytes.limit();
    try {
      while (!isInputClosed) {
        Optional<byte[]> whole = assembler.assemble(bytes);
        if (whole.isEmpty()) {
          return;
        }
        received(whole.get());
      }
      if (isHandedOver && bytes.hasRemaining()) {
        // The bytes after the final frame of this handshake belong to the next one.
        channel.pipeline().fireChannelRead(Unpooled.copiedBuffer(bytes));
      }
    } catch (WireException e) {
      isInputClosed = true;
      malformed(e.reason(), e.getMessage(), bytes.duplicate().position(begin));
    }
  }

  @Override
  public final void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    if (!(cause instanceof IOException)) {
      LOG.error("{}: internal error; the connection is closed", this, cause);
    }
    isInputClosed = true;
    disconnected(String.valueOf(cause.getMessage()));
    channel.close();
  }

  final Channel channel() {
    return channel;
  }

  /** Closes a connection that may still be connecting; does nothing before it has a socket. */
  final void closeIfOpened() {
    if (channel != null) {
      closeConnection();
    }
  }

  final void send(byte[]... messages) {
    channel.writeAndFlush(Unpooled.wrappedBuffer(messages), channel.voidPromise());
  }

  /** Sends, and runs the next step once the kernel has the bytes; never if that fails. */
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

  /** Sends the last messages, ignores further input and closes the connection. */
  final void sendAndClose(byte[]... messages) {
    isInputClosed = true;
    channel
        .writeAndFlush(Unpooled.wrappedBuffer(messages))
        .addListener(ChannelFutureListener.CLOSE);
  }

  /** Whether the connection can serve another handshake, as far as this side knows. */
  final boolean isReusable() {
    return !isInputClosed && isBetweenMessages() && channel.isActive();
  }

  /** Whether no part of an incomplete message has arrived. */
  final boolean isBetweenMessages() {
    return assembler.isEmpty();
  }

  /** Hands the connection over to another handler, and ignores further input here. */
  final void handOver(HandshakeChannel next) {
    isInputClosed = true;
    isHandedOver = true;
    channel.pipeline().replace(this, null, next);
    next.reused();
  }

  /** Closes the connection and ignores further input. */
  final void closeConnection() {
    isInputClosed = true;
    channel.close();
  }
}
