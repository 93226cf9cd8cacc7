// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.spi.Channel;
import io.meshtransport.spi.ChannelState;
import io.meshtransport.spi.ConnectOptions;
import io.meshtransport.spi.Connection;
import io.meshtransport.spi.Listener;
import io.meshtransport.spi.ReceiveGroup;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.SendMode;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import io.meshtransport.testing.AllocationCounter;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A connection of the most requests, over the soft provider. Also tests {@link
 * io.meshtransport.transport.endpoint.UnsignaledSends} and {@link
 * io.meshtransport.transport.message.RmaOperations} beyond 64 requests.
 */
@Tag("slow")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DeepConnectionTest {
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final int MOST = ConnectOptions.MAX_REQUESTS;
  private static final long NO_DEADLINE = Connection.NO_DEADLINE;
  private static final int MAX_PASSES = 40;

  private final long seed = Long.getLong("mesh.test.seed", System.nanoTime());
  private final long[] receives = new long[MOST];
  private final long[] sends = new long[MOST];
  private Transport a;
  private Transport b;
  private Connection out;
  private Connection in;
  private RegisteredMemory source;
  private RegisteredMemory sink;

  @BeforeEach
  void connect() throws TransportException {
    a = open("127.77.64.1/24");
    b = open("127.77.64.2/24");
    ConnectOptions options = ConnectOptions.DEFAULT.requests(MOST);
    try (Listener listener = b.listen(options)) {
      out = a.connect(listener.handle(), options, SOON);
      in = listener.acceptConnection(SOON);
    }
    source = a.register(ByteBuffer.allocateDirect(MOST));
    sink = b.register(ByteBuffer.allocateDirect(MOST));
    new Random(seed).ints(MOST).forEach(each -> bytes(source).put((byte) each));
    bytes(source).clear();
  }

  @AfterEach
  void close() {
    a.close();
    b.close();
  }

  private static Transport open(String address) throws TransportException {
    return Transport.open(
        Map.of("MESH_PROVIDER", "soft", "MESH_LOOPBACK", address, "MESH_HANDSHAKE_PORT", "0"));
  }

  private static ByteBuffer bytes(RegisteredMemory memory) {
    return memory.segments().get(0);
  }

  private static List<Integer> shuffled(Random random) {
    List<Integer> order = IntStream.range(0, MOST).boxed().collect(Collectors.toList());
    Collections.shuffle(order, random);
    return order;
  }

  private void endAll() {
    for (int i = 0; i < MOST; i++) {
      end(out, sends[i], in);
    }
    for (int i = 0; i < MOST; i++) {
      end(in, receives[i], out);
    }
  }

  /** Waits for one byte, and moves the other end along. */
  private static void end(Connection at, long request, Connection other) {
    long outcome;
    long startNs = System.nanoTime();
    while ((outcome = at.test(request)) == Channel.PENDING) {
      other.awaitProgress(-1, Duration.ZERO);
      if (System.nanoTime() - startNs > SOON.toNanos()) {
        throw new AssertionError(at + " and " + other);
      }
    }
    if (outcome != 1) {
      throw new AssertionError("ended with " + outcome + ": " + at);
    }
  }

  @ParameterizedTest
  @EnumSource(SendMode.class)
  void shouldPairEachTagInAnyOrder(SendMode mode) {
    out.sendMode(mode);
    Random random = new Random(seed);
    for (int round = 0; round < 3; round++) {
      bytes(sink).put(0, new byte[MOST]);
      boolean areSendsFirst = round != 1;
      List<Integer> sendOrder = shuffled(random);
      List<Integer> receiveOrder = shuffled(random);
      for (int half = 0; half < 2; half++) {
        boolean isSend = areSendsFirst == (half == 0);
        for (int i = 0; i < MOST; i++) {
          int tag = (isSend ? sendOrder : receiveOrder).get(i);
          if (isSend) {
            sends[i] = out.isend(source, tag, 1, tag);
          } else {
            receives[i] = in.irecv(sink, tag, 1, tag);
          }
          assertTrue((isSend ? sends : receives)[i] >= 0);
        }
      }
      endAll();
      assertEquals(bytes(source), bytes(sink), "seed " + seed);
    }
  }

  @Test
  void shouldKeepTheConnectionWhenEachOfItsSendsIsLate() {
    long atMostNs = Duration.ofMillis(50).toNanos();
    for (int i = 0; i < MOST; i++) {
      sends[i] = out.isend(source, i, 1, i, i % 2 == 0 ? atMostNs : SOON.toNanos());
      receives[i] = in.irecv(sink, i, 1, MOST + i, atMostNs);
    }
    for (int i = 0; i < MOST; i += 2) {
      assertEquals(Channel.FAILED, out.await(sends[i], SOON));
      assertEquals(Reason.TIMED_OUT, out.failure(sends[i]).reason());
    }
    for (int i = 0; i < MOST; i++) {
      assertEquals(Channel.FAILED, in.await(receives[i], SOON));
      assertEquals(Reason.TIMED_OUT, in.failure(receives[i]).reason());
    }
    assertEquals(ChannelState.READY, in.state());
    for (int i = 1; i < MOST; i += 2) {
      assertEquals(Channel.PENDING, out.test(sends[i]));
      receives[i] = in.irecv(sink, i, 1, i);
      end(out, sends[i], in);
      end(in, receives[i], out);
    }
  }

  @Test
  void shouldBeBusyWhenTooManyReceivesOfGroupsWait() {
    ReceiveGroup group = new ReceiveGroup();
    int groups = MOST / Transport.MAX_GROUP;
    for (int i = 0; i < groups; i++) {
      group.clear();
      for (int entry = 0; entry < Transport.MAX_GROUP; entry++) {
        int at = i * Transport.MAX_GROUP + entry;
        group.add(sink, at, 1, at);
      }
      receives[i] = in.irecv(group, NO_DEADLINE);
      assertTrue(receives[i] >= 0);
    }
    assertEquals(Channel.BUSY, in.irecv(group, NO_DEADLINE));
    assertEquals(Channel.BUSY, in.irecv(sink, 0, 1, 0));
    long back = in.isend(sink, 0, 1, 1);
    assertTrue(back >= 0, "a send needs none of them");
    long answer = out.irecv(source, 0, 1, 1);
    end(in, back, out);
    end(out, answer, in);

    end(out, out.isend(source, 0, 1, 0), in);
    long more = Channel.BUSY;
    for (long startNs = System.nanoTime();
        more == Channel.BUSY && System.nanoTime() - startNs < SOON.toNanos(); ) {
      assertEquals(Channel.PENDING, in.test(receives[0]));
      more = in.irecv(sink, 0, 1, 0);
    }
    assertTrue(more >= 0, "one has its message");
    assertEquals(Channel.BUSY, in.irecv(sink, 0, 1, 0));
    for (int tag = 0; tag < MOST; tag++) {
      end(out, out.isend(source, tag, 1, tag), in);
    }
    end(in, more, out);
    for (int i = 0; i < groups; i++) {
      assertEquals(Transport.MAX_GROUP, in.await(receives[i], SOON));
    }
    assertEquals(bytes(source), bytes(sink), "seed " + seed);
  }

  @Test
  void shouldLeaveNothingToTheCollector() throws Exception {
    AllocationCounter counter = AllocationCounter.ofThisThreadAnd("mesh-soft");
    // Fewer bytes than messages.
    counter.expectFewerBytes(
        MOST,
        MAX_PASSES,
        () -> {
          for (int i = 0; i < MOST; i++) {
            receives[i] = in.irecv(sink, i, 1, i, SOON.toNanos());
          }
          for (int i = MOST - 1; i >= 0; i--) {
            sends[i] = out.isend(source, i, 1, i, SOON.toNanos());
          }
          endAll();
        });
    assertEquals(bytes(source), bytes(sink), "seed " + seed);
  }
}
