// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A stream of messages on each of many channels: when Netty has written one, the next one of its
 * channel follows. Messages are written from direct buffers without a copy. Netty has written a
 * message once the kernel has it, so that more are on their way than the window. On the event loop,
 * but {@link #send}.
 */
final class NettySender {
  private final List<Stream> streams = new ArrayList<>();
  private final Workload workload;
  private final RunClock clock;
  private final CompletableFuture<Measurement> measurement = new CompletableFuture<>();
  private long messages;
  private long inFlight;
  private boolean runs;

  /** One channel, and its messages. */
  private final class Stream implements ChannelFutureListener {
    private final Channel channel;
    private final SequencedPayload payload;
    private final ByteBuf bytes;
    private long count;

    private Stream(Channel channel) {
      this.channel = channel;
      int slots = workload.window();
      ByteBuffer memory = ByteBuffer.allocateDirect(slots * workload.messageBytes());
      this.payload =
          new SequencedPayload(memory, slots, workload.messageBytes(), slots).writeBodies();
      this.bytes = Unpooled.wrappedBuffer(memory);
    }

    private void writeNext() {
      payload.writeSequence(count);
      write();
    }

    private void write() {
      ByteBuf message = bytes.retainedSlice(payload.offset(count), workload.messageBytes());
      count++;
      inFlight++;
      channel.write(message).addListener(this);
    }

    private void writeEnd() {
      payload.writeEnd(count);
      write();
      channel.flush();
    }

    @Override
    public void operationComplete(ChannelFuture written) {
      inFlight--;
      if (!written.isSuccess()) {
        measurement.completeExceptionally(written.cause());
        return;
      }
      messages++;
      runs = runs && clock.isRunning(System.nanoTime(), messages);
      if (runs) {
        writeNext();
        channel.flush();
      } else if (inFlight == 0 && !measurement.isDone()) {
        measurement.complete(clock.measurement(System.nanoTime(), messages, 0));
        streams.forEach(Stream::writeEnd);
      }
    }
  }

  NettySender(List<Channel> channels, Workload workload, RunClock clock) {
    this.workload = workload;
    this.clock = clock;
    channels.forEach(channel -> streams.add(new Stream(channel)));
  }

  /**
   * Sends until the clock stops, and then the message that ends each stream. Any thread.
   *
   * @return measured until the kernel has the last message
   */
  CompletableFuture<Measurement> send() {
    streams.get(0).channel.eventLoop().execute(this::begin);
    return measurement;
  }

  private void begin() {
    runs = clock.isRunning(System.nanoTime(), 0);
    for (Stream stream : streams) {
      for (int i = 0; i < workload.window(); i++) {
        stream.writeNext();
      }
      stream.channel.flush();
    }
  }
}
