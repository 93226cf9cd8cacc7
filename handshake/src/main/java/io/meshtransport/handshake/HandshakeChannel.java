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
 * One TCP connection of a handshake, as frames. The last handler of its pipeline; confined to the
 * event loop. Subclasses hold the state of their side.
 */
abstract class HandshakeChannel extends ChannelInboundHandlerAdapter {
  private static final Logger LOG = LogManager.getLogger(HandshakeChannel.class);

  private final HandshakeCounters counters;
  private final FrameAssembler assembler = new FrameAssembler();
  private Channel channel;
  private boolean deaf;

  HandshakeChannel(HandshakeCounters counters) {
    this.counters = counters;
  }

  /** The connection stands. */
  abstract void opened();

  /** A whole frame came. */
  abstract void received(Frame frame, byte[] raw) throws WireException;

  /** What came is not a frame, or not one that fits here. */
  abstract void malformed(Reason reason, String text);

  /** The connection has ended, by the peer's will or ours. */
  abstract void lost(String why);

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
    lost("the peer ended it");
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
      while (!deaf) {
        Optional<byte[]> whole = assembler.take(bytes);
        if (whole.isEmpty()) {
          return;
        }
        received(Frame.decode(whole.get()), whole.get());
      }
    } catch (WireException e) {
      deaf = true;
      malformed(e.reason(), e.getMessage());
    }
  }

  @Override
  public final void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    if (!(cause instanceof IOException)) {
      LOG.error("{}: a mistake of ours; the connection is dropped", this, cause);
    }
    deaf = true;
    lost(String.valueOf(cause.getMessage()));
    channel.close();
  }

  final Channel channel() {
    return channel;
  }

  /** Ends a connection that is still being made; without a socket there is nothing to end. */
  final void breakOff() {
    if (channel != null) {
      hangUp();
    }
  }

  final void send(byte[]... frames) {
    channel.writeAndFlush(Unpooled.wrappedBuffer(frames), channel.voidPromise());
  }

  /** Sends one more frame, hears nothing any more and ends the connection. */
  final void sendLast(Frame frame) {
    deaf = true;
    channel
        .writeAndFlush(Unpooled.wrappedBuffer(frame.encode()))
        .addListener(ChannelFutureListener.CLOSE);
  }

  /** Ends the connection and hears nothing any more. */
  final void hangUp() {
    deaf = true;
    channel.close();
  }
}
