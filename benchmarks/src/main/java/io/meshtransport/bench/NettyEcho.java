// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import io.netty.channel.ChannelHandlerContext;

/** Sends back each message. On the channel's event loop. */
final class NettyEcho extends NettyMessages {
  private final SequencedPayload payload;
  private final int messageBytes;
  private long count;

  NettyEcho(int messageBytes) {
    super(messageBytes);
    this.messageBytes = messageBytes;
    this.payload = new SequencedPayload(message(), 1, messageBytes, 1);
    payload.clearIfVerified(count);
  }

  @Override
  void begin(ChannelHandlerContext context) {
    // The initiator does.
  }

  @Override
  void received(ChannelHandlerContext context) {
    if (payload.verifyAndCheckEnd(count, messageBytes)) {
      measurement().complete(Measurement.ofResponder(count, payload.verified()));
      return;
    }
    send(context, message());
    count++;
    payload.clearIfVerified(count);
  }
}
