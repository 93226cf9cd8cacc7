// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.ArrayDeque;
import java.util.Queue;

/**
 * Passes what a channel reads to the current run, and queues it while there is none: the initiator
 * may begin before the other end has its command. On the channel's event loop.
 */
final class NettyInbound extends ChannelInboundHandlerAdapter {
  private final Queue<ByteBuf> early = new ArrayDeque<>();
  private ChannelHandlerContext context;
  private NettyMessages run;

  @Override
  public void handlerAdded(ChannelHandlerContext added) {
    context = added;
  }

  /** A run begins, or is over if null. */
  void run(NettyMessages next) {
    run = next;
    if (run != null) {
      run.begin(context);
    }
    while (run != null && !early.isEmpty()) {
      run.read(context, early.remove());
    }
    if (run != null) {
      run.readComplete(context);
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext reading, Object read) {
    if (isIdle()) {
      early.add((ByteBuf) read);
    } else {
      run.read(reading, (ByteBuf) read);
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext reading) {
    if (!isIdle()) {
      run.readComplete(reading);
    }
  }

  /** The last run may have ended without its end being known here: the next begins meanwhile. */
  private boolean isIdle() {
    return run == null || run.measurement().isDone();
  }

  @Override
  public void channelInactive(ChannelHandlerContext closed) {
    fail(new IllegalStateException("the other end has closed in the middle of a run"));
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext failed, Throwable cause) {
    fail(cause);
  }

  private void fail(Throwable cause) {
    if (run != null) {
      run.measurement().completeExceptionally(cause);
    }
  }
}
