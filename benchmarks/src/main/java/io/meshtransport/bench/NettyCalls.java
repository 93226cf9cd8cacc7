// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;

/**
 * Calls over one channel: callers write from their threads, and the event loop completes them with
 * their replies. Each message is behind its length in four bytes.
 */
final class NettyCalls {
  private final Channel channel;
  private final Workload workload;
  private final Runs runs;

  /** What gives a run the messages of the channel, and waits for its end. */
  interface Runs {
    Measurement run(NettyMessages run) throws IOException, InterruptedException;
  }

  /** Passes replies to those who wait for them. On the event loop. */
  private static final class Replies extends NettyMessages {
    private final Callers callers;

    private Replies(Callers callers) {
      super(SocketFrames.LENGTH_BYTES + callers.messageBytes());
      this.callers = callers;
      measurement().whenComplete((none, failure) -> fail(failure));
    }

    private void fail(Throwable failure) {
      if (failure != null) {
        callers.failed(failure);
      }
    }

    @Override
    void begin(ChannelHandlerContext context) {
      // The callers do.
    }

    @Override
    void received(ChannelHandlerContext context) {
      if (Callers.isEnd(message(), SocketFrames.LENGTH_BYTES)) {
        measurement().complete(Measurement.ofResponder(0, 0));
      } else {
        callers.replied(message(), SocketFrames.LENGTH_BYTES);
      }
    }
  }

  NettyCalls(Channel channel, Workload workload, Runs runs) {
    this.channel = channel;
    this.workload = workload;
    this.runs = runs;
  }

  Measurement initiate(RunClock clock) throws IOException, InterruptedException {
    int threads = workload.window();
    int bytes = workload.messageBytes();
    ByteBuffer requests = ByteBuffer.allocateDirect(Callers.slots(threads) * bytes);
    Callers callers = new Callers(threads, bytes, requests);
    CompletableFuture<Void> replies =
        Callers.start("mesh-bench-replies", () -> runs.run(new Replies(callers)));
    Measurement measured = callers.run(clock, id -> write(requests, callers.offset(id)));
    requests.putLong(0, SequencedPayload.END);
    write(requests, 0);
    Callers.join(replies);
    return measured;
  }

  private void write(ByteBuffer requests, int offset) {
    ByteBuf out = frame(channel, requests, offset, workload.messageBytes());
    channel.writeAndFlush(out, channel.voidPromise());
  }

  /** A copy of a message behind its length. */
  static ByteBuf frame(Channel channel, ByteBuffer bytes, int offset, int lengthBytes) {
    ByteBuf out = channel.alloc().directBuffer(SocketFrames.LENGTH_BYTES + lengthBytes);
    out.writeInt(lengthBytes);
    out.writeBytes(bytes.slice(offset, lengthBytes));
    return out;
  }
}
