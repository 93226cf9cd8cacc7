// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench.downcalls;

import io.meshtransport.spi.Channel;
import io.meshtransport.spi.ReceiveGroup;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.SendChannel;
import io.meshtransport.spi.SendMode;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import io.meshtransport.transport.ChannelPair;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * What a message costs both ends of a channel together, on one thread, over a libibverbs that
 * copies it in the post: nanoseconds per message of receive, send and their tests.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class ChannelOperations {
  private static final int WINDOW = 64;
  private static final int GROUPS = WINDOW / Transport.MAX_GROUP;
  private static final int MAX_BYTES = 4096;
  private static final int MAX_TESTS = 1 << 20;

  /** Payload of each message. */
  @Param({"64", "4096"})
  public int bytes;

  private ChannelPair channels;
  private final ByteBuffer sent = ByteBuffer.allocateDirect(MAX_BYTES);
  private final ByteBuffer received = ByteBuffer.allocateDirect(MAX_BYTES);
  private RegisteredMemory source;
  private RegisteredMemory target;
  private final ReceiveGroup group = new ReceiveGroup();
  private final long[] sends = new long[WINDOW];
  private final long[] receives = new long[WINDOW];

  /** Opens the channels. */
  @Setup
  public void open() throws Exception {
    PostAndPoll.requireBinding();
    channels =
        new ChannelPair(
            NullLibrary.open(NullLibrary.WIRE_DEVICE), NullLibrary.open(NullLibrary.WIRE_DEVICE));
    for (int i = 0; i < MAX_BYTES; i++) {
      sent.put(i, (byte) (i * 31 + 1));
    }
    source = channels.from().register(sent);
    target = channels.to().register(received);
  }

  /** Closes it; what was measured must have moved the message. */
  @TearDown
  public void close() {
    channels.close();
    if (!sent.slice(0, bytes).equals(received.slice(0, bytes))) {
      throw new IllegalStateException("what was received is not what was sent");
    }
  }

  /** One message at a time. */
  @Benchmark
  public long lone() throws TransportException {
    long receive = channels.in().irecv(target, 0, bytes, 0);
    long send = channels.out().isend(source, 0, bytes, 0);
    return arrive(receive) + finish(channels.out(), send);
  }

  /** 64 messages in flight at once. */
  @Benchmark
  @OperationsPerInvocation(WINDOW)
  public long window() throws TransportException {
    channels.out().sendMode(SendMode.LATENCY);
    for (int i = 0; i < WINDOW; i++) {
      receives[i] = channels.in().irecv(target, 0, bytes, 0);
    }
    for (int i = 0; i < WINDOW; i++) {
      sends[i] = channels.out().isend(source, 0, bytes, 0);
    }
    long sum = 0;
    for (int i = 0; i < WINDOW; i++) {
      sum += arrive(receives[i]) + finish(channels.out(), sends[i]);
    }
    return sum;
  }

  /** The same with receives posted in groups of eight, and one completion for sixteen messages. */
  @Benchmark
  @OperationsPerInvocation(WINDOW)
  public long windowInGroups() throws TransportException {
    channels.out().sendMode(SendMode.STREAM);
    for (int i = 0; i < GROUPS; i++) {
      group.clear();
      for (int each = 0; each < Transport.MAX_GROUP; each++) {
        group.add(target, 0, bytes, 0);
      }
      receives[i] = channels.in().irecv(group, SendChannel.NO_DEADLINE);
    }
    for (int i = 0; i < WINDOW; i++) {
      sends[i] = channels.out().isend(source, 0, bytes, 0);
    }
    long sum = 0;
    for (int i = 0; i < GROUPS; i++) {
      sum += arrive(receives[i]);
    }
    // Tests the last first: its completion covers those before it.
    for (int i = WINDOW - 1; i >= 0; i--) {
      sum += finish(channels.out(), sends[i]);
    }
    return sum;
  }

  /** A message that waits for its receive's announcement leaves when its channel is tested. */
  private long arrive(long request) throws TransportException {
    for (int i = 0; i < MAX_TESTS; i++) {
      if (channels.out().sendsNeedingProgress() > 0) {
        channels.out().awaitProgress(channels.out().progressCount(), Duration.ZERO);
      }
      long outcome = channels.in().test(request);
      if (outcome >= 0) {
        return outcome;
      }
      if (outcome != Channel.PENDING) {
        throw channels.in().failure(request);
      }
    }
    throw new IllegalStateException("a message has not arrived after " + MAX_TESTS + " polls");
  }

  private static long finish(Channel channel, long request) {
    for (int i = 0; i < MAX_TESTS; i++) {
      long outcome = channel.test(request);
      if (outcome >= 0) {
        return outcome;
      }
      if (outcome != Channel.PENDING) {
        throw new IllegalStateException("a message failed", channel.failure(request));
      }
    }
    throw new IllegalStateException("a message has not ended after " + MAX_TESTS + " polls");
  }
}
