// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import io.netty.channel.ChannelHandlerContext;

/** Sends back each message. On the channel's event loop. */
final class NettyEcho extends NettyMessages {
  private final Stamps stamps;
  private final int messageBytes;
  private long count;

  NettyEcho(int messageBytes) {
    super(messageBytes);
    this.messageBytes = messageBytes;
    this.stamps = new Stamps(message(), 1, messageBytes, 1);
    stamps.prepare(count);
  }

  @Override
  void begin(ChannelHandlerContext context) {
    // The leader does.
  }

  @Override
  void arrived(ChannelHandlerContext context) {
    if (stamps.isEnd(count, messageBytes)) {
      measurement().complete(Measurement.following(count, stamps.checked()));
      return;
    }
    send(context, message());
    count++;
    stamps.prepare(count);
  }
}
