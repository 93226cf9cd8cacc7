// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import io.meshtransport.spi.Channel;
import io.meshtransport.spi.ChannelFuture;
import io.meshtransport.spi.GatherList;
import io.meshtransport.spi.Listener;
import io.meshtransport.spi.ReceiveChannel;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.SendChannel;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import io.meshtransport.testing.AllocationCounter;
import io.meshtransport.transport.message.MeshSendChannel;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Long messages leave nothing to the collector once warm, in the caller's thread and in the soft
 * devices': whole or cut over rails, from registered memory from unregistered direct buffers or
 * from the heap.
 */
@Tag("slow")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LongMessageGarbageTest {
  private static final Duration SOON = Duration.ofSeconds(20);

  /** More than is copied, and three chunks where there are rails. */
  private static final int BYTES = 300_000;

  private static final int TAG = 1;
  private static final int OTHER_TAG = 2;

  /** Code gets warm on the way. */
  private static final int MAX_PASSES = 40;

  private static final int ROUNDS = 1_000;

  private static Transport open(int node, int rails) throws TransportException {
    return Transport.open(
        Map.of(
            "MESH_PROVIDER",
            "soft",
            "MESH_LOOPBACK",
            "127.77.61.%d/24,127.77.62.%d/24".formatted(node, node),
            "MESH_HANDSHAKE_PORT",
            "0",
            "MESH_RAILS",
            Integer.toString(rails)));
  }

  private enum Kind {
    REGISTERED,
    GATHERED,
    DIRECT,
    HEAP
  }

  @ParameterizedTest(name = "{0} rails, memory: {1}")
  @CsvSource({
    "1,REGISTERED",
    "1,GATHERED",
    "1,DIRECT",
    "1,HEAP",
    "2,REGISTERED",
    "2,GATHERED",
    "2,DIRECT",
    "2,HEAP"
  })
  void shouldLeaveNothingToTheCollector(int rails, Kind kind) throws Exception {
    boolean areRegistered = kind == Kind.REGISTERED || kind == Kind.GATHERED;
    GatherList pieces = new GatherList();
    try (Transport from = open(1, rails);
        Transport to = open(2, rails);
        Listener listener = to.listen()) {
      ChannelFuture<ReceiveChannel> accepting = listener.accept();
      SendChannel out = from.connect(listener.handle(), SOON);
      ReceiveChannel in = accepting.await(SOON);
      Awaitility.await().atMost(SOON).until(() -> rails(out) == rails);
      RegisteredMemory registeredSource = from.register(ByteBuffer.allocateDirect(BYTES));
      RegisteredMemory registeredSink = to.register(ByteBuffer.allocateDirect(BYTES));
      ByteBuffer source = buffer(kind, registeredSource);
      ByteBuffer sink = buffer(kind, registeredSink);
      // For what never comes: the receiving end has answers to give when it has its message.
      long idle = in.irecv(registeredSink, 0, 1, OTHER_TAG);

      AllocationCounter counter = AllocationCounter.ofThisThreadAnd("mesh-soft");
      // Fewer bytes than messages.
      counter.expectFewerBytes(
          ROUNDS,
          MAX_PASSES,
          () -> {
            for (int round = 0; round < ROUNDS; round++) {
              source.put(round, (byte) ~sink.get(round));
              long receive =
                  areRegistered ? in.irecv(registeredSink, 0, BYTES, TAG) : in.irecv(sink, TAG);
              pieces.clear().add(registeredSource, 0, 16);
              pieces.add(registeredSource, 16, BYTES - 16);
              long send =
                  kind == Kind.GATHERED
                      ? out.isend(pieces, TAG)
                      : areRegistered
                          ? out.isend(registeredSource, 0, BYTES, TAG)
                          : out.isend(source, TAG);
              endBoth(out, send, in, receive, idle);
              if (sink.get(round) != source.get(round)) {
                throw new AssertionError("round " + round + ": another byte than was sent");
              }
            }
          });
    }
  }

  private static ByteBuffer buffer(Kind kind, RegisteredMemory memory) {
    return kind == Kind.HEAP ? ByteBuffer.allocate(BYTES) : memory.segments().get(0);
  }

  private static int rails(SendChannel channel) {
    MeshSendChannel sending = (MeshSendChannel) channel;
    return sending.rails() == null ? 1 : sending.rails().liveRails().size();
  }

  private static void endBoth(
      SendChannel out, long send, ReceiveChannel in, long receive, long idle) {
    long sent = Channel.PENDING;
    long received = Channel.PENDING;
    long startNs = System.nanoTime();
    while (sent == Channel.PENDING || received == Channel.PENDING) {
      if (sent == Channel.PENDING) {
        sent = out.test(send);
      }
      if (received == Channel.PENDING) {
        received = in.test(receive);
      } else {
        in.test(idle);
      }
      if (System.nanoTime() - startNs > SOON.toNanos()) {
        throw new AssertionError("a message is not over after " + SOON);
      }
    }
    if (sent != BYTES || received != BYTES) {
      throw new AssertionError("sent " + sent + ", received " + received);
    }
  }
}
