// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import io.netty.channel.ChannelHandlerContext;
import java.nio.ByteBuffer;

/** Sends a message, and the next when it is back. On the channel's event loop. */
final class NettyPinger extends NettyMessages {
  private final int messageBytes;
  private final RunClock watch;
  private final ByteBuffer ping;
  private final SequencedPayload pings;
  private final SequencedPayload pongs;
  private long count;
  private long begin;

  NettyPinger(int messageBytes, RunClock watch) {
    super(messageBytes);
    this.messageBytes = messageBytes;
    this.watch = watch;
    this.ping = ByteBuffer.allocateDirect(messageBytes);
    this.pings = new SequencedPayload(ping, 1, messageBytes, 1).writeBodies();
    this.pongs = new SequencedPayload(message(), 1, messageBytes, 1);
  }

  @Override
  void begin(ChannelHandlerContext context) {
    begin = System.nanoTime();
    next(context);
  }

  @Override
  void received(ChannelHandlerContext context) {
    pongs.verifyAndCheckEnd(count, messageBytes);
    count++;
    long now = System.nanoTime();
    watch.record(now - begin);
    begin = now;
    if (watch.isRunning(now, count)) {
      next(context);
    } else {
      pings.writeEnd(count);
      send(context, ping);
      measurement().complete(watch.measurement(now, count, pongs.verified()));
    }
  }

  private void next(ChannelHandlerContext context) {
    pongs.clearIfVerified(count);
    pings.writeSequence(count);
    send(context, ping);
  }
}
