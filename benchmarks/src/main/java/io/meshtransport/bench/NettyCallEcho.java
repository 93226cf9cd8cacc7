// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import io.netty.channel.ChannelHandlerContext;

/**
 * Answers each request with its own bytes; replies to requests that were read together leave
 * together. On the channel's event loop.
 */
final class NettyCallEcho extends NettyMessages {
  private final int messageBytes;
  private long count;

  NettyCallEcho(int messageBytes) {
    super(SocketFrames.LENGTH_BYTES + messageBytes);
    this.messageBytes = messageBytes;
  }

  @Override
  void begin(ChannelHandlerContext context) {
    // The initiator does.
  }

  @Override
  void received(ChannelHandlerContext context) {
    context.write(
        NettyCalls.frame(context.channel(), message(), SocketFrames.LENGTH_BYTES, messageBytes));
    if (Callers.isEnd(message(), SocketFrames.LENGTH_BYTES)) {
      context.flush();
      measurement().complete(Measurement.ofResponder(count, 0));
    } else {
      count++;
    }
  }

  @Override
  void readComplete(ChannelHandlerContext context) {
    context.flush();
  }
}
