// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import io.netty.channel.ChannelHandlerContext;
import java.util.concurrent.CompletableFuture;

/**
 * Receives a stream on each of many channels until each has had its last message. Of a message only
 * its number is copied out of Netty's buffers, except where every byte is compared. On the event
 * loop, but {@link #measurement}.
 */
final class NettyReceiver {
  private final Workload workload;
  private final RunClock clock;
  private final CompletableFuture<Measurement> measurement = new CompletableFuture<>();
  private int open;
  private long messages;
  private long verified;

  /** The messages of one channel. */
  private final class OneChannel extends NettyMessages {
    private final SequencedPayload payload;
    private long count;

    private OneChannel() {
      super(workload.messageBytes());
      payload = new SequencedPayload(message(), 1, workload.messageBytes(), workload.window());
      payload.clearIfVerified(0);
      measurement().whenComplete((none, failure) -> fail(failure));
    }

    private void fail(Throwable failure) {
      if (failure != null) {
        NettyReceiver.this.measurement.completeExceptionally(failure);
      }
    }

    @Override
    int copiedBytes() {
      return payload.isVerified(count) ? workload.messageBytes() : SequencedPayload.BYTES;
    }

    @Override
    void begin(ChannelHandlerContext context) {
      // The initiator does.
    }

    @Override
    void received(ChannelHandlerContext context) {
      if (payload.verifyAndCheckEnd(count, workload.messageBytes())) {
        end(payload.verified());
        // What comes from now on is early for the next run.
        measurement().complete(null);
        return;
      }
      count++;
      payload.clearIfVerified(count);
      messages++;
    }

    @Override
    void readComplete(ChannelHandlerContext context) {
      if (messages > 0) {
        clock.isRunning(System.nanoTime(), messages);
      }
    }
  }

  NettyReceiver(int channels, Workload workload, RunClock clock) {
    this.open = channels;
    this.workload = workload;
    this.clock = clock;
  }

  /** For one channel. Any thread, before the first message. */
  NettyMessages ofOneChannel() {
    return new OneChannel();
  }

  /** Comes when all streams have ended. Any thread. */
  CompletableFuture<Measurement> measurement() {
    return measurement;
  }

  /** The first end is the end of what is measured. */
  private void end(long verifiedOfOne) {
    clock.end(System.nanoTime(), messages);
    verified += verifiedOfOne;
    open--;
    if (open == 0) {
      measurement.complete(clock.measurementToEnd(messages, verified));
    }
  }
}
