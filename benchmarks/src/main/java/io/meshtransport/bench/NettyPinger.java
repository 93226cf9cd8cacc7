// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import io.netty.channel.ChannelHandlerContext;
import java.nio.ByteBuffer;

/** Sends a message, and the next when it is back. On the channel's event loop. */
final class NettyPinger extends NettyMessages {
  private final int messageBytes;
  private final StopWatch watch;
  private final ByteBuffer ping;
  private final Stamps pings;
  private final Stamps pongs;
  private long count;
  private long begin;

  NettyPinger(int messageBytes, StopWatch watch) {
    super(messageBytes);
    this.messageBytes = messageBytes;
    this.watch = watch;
    this.ping = ByteBuffer.allocateDirect(messageBytes);
    this.pings = new Stamps(ping, 1, messageBytes, 1).fill();
    this.pongs = new Stamps(message(), 1, messageBytes, 1);
  }

  @Override
  void begin(ChannelHandlerContext context) {
    begin = System.nanoTime();
    next(context);
  }

  @Override
  void arrived(ChannelHandlerContext context) {
    pongs.isEnd(count, messageBytes);
    count++;
    long now = System.nanoTime();
    watch.record(now - begin);
    begin = now;
    if (watch.goesOn(now, count)) {
      next(context);
    } else {
      pings.stampEnd(count);
      send(context, ping);
      measurement().complete(watch.measurement(now, count, pongs.checked()));
    }
  }

  private void next(ChannelHandlerContext context) {
    pongs.prepare(count);
    pings.stamp(count);
    send(context, ping);
  }
}
