// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.meshtransport.spi.Channel;
import io.meshtransport.spi.ChannelState;
import io.meshtransport.spi.ConnectOptions;
import io.meshtransport.spi.Connection;
import io.meshtransport.spi.Listener;
import io.meshtransport.spi.ReceiveChannel;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.SendChannel;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Channels that their program does not poll while something waits on them.
 *
 * <p>Also tests {@link io.meshtransport.transport.poll.ProgressThread}, {@link
 * io.meshtransport.transport.poll.UnpolledChannel} and {@link
 * io.meshtransport.transport.poll.Watched}.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class UnpolledChannelsTest {
  private static final int BYTES = 64;
  private static final Duration LIMIT = Duration.ofSeconds(20);
  private static final int ROUNDS = 20;

  private final List<AutoCloseable> opened = new ArrayList<>();

  @AfterEach
  void close() throws Exception {
    for (int i = opened.size() - 1; i >= 0; i--) {
      opened.get(i).close();
    }
  }

  private Transport open(int number, Map<String, String> more) throws TransportException {
    Map<String, String> settings = new HashMap<>(more);
    settings.put("MESH_LOOPBACK", "127.77.41." + number + "/24");
    settings.put("MESH_HANDSHAKE_PORT", "0");
    Transport transport = Transport.open(settings);
    opened.add(transport);
    return transport;
  }

  private Listener listen(Transport transport) throws TransportException {
    Listener listener = transport.listen();
    opened.add(listener);
    return listener;
  }

  /** Threads of transports that are open now. */
  private static long progressThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals("mesh-progress"))
        .count();
  }

  @Test
  void shouldSendWhatWaitsForItsReceiveThoughNothingTestsItsChannel() throws Exception {
    Transport a = open(1, Map.of());
    Transport b = open(2, Map.of());
    Listener listener = listen(b);
    SendChannel out = a.connect(listener.handle(), LIMIT);
    ReceiveChannel in = listener.accept(LIMIT);
    RegisteredMemory from = a.allocate(BYTES);
    RegisteredMemory to = b.allocate(BYTES);
    for (int round = 0; round < ROUNDS; round++) {
      long send = out.isend(from, 0, BYTES, round);
      long receive = in.irecv(to, 0, BYTES, round);
      assertEquals(BYTES, in.await(receive, LIMIT), "nothing has tested the sending end");
      assertEquals(BYTES, out.await(send, LIMIT));
    }
  }

  /** Its peer polls nothing, and has nothing that waits. */
  @Test
  void shouldTakeBackAReceiveThoughThePeerDoesNotPoll() throws Exception {
    Transport a = open(20, Map.of());
    Transport b = open(21, Map.of());
    Listener listener = listen(b);
    Connection out = a.connect(listener.handle(), ConnectOptions.DEFAULT, LIMIT);
    Connection in = listener.acceptConnection(LIMIT);
    for (int round = 0; round < ROUNDS; round++) {
      long receive = in.irecv(ByteBuffer.allocateDirect(BYTES), round);
      in.withdraw(receive);
      assertEquals(Channel.FAILED, in.await(receive, LIMIT));
      assertEquals(TransportException.Reason.WITHDRAWN, in.failure(receive).reason());
    }
    assertEquals(ChannelState.READY, out.state());
  }

  /** Each node sends to both others, then waits for one message, and polls nothing else. */
  @Test
  void shouldEndAnAllReduceThatWaitsOnOneChannelAtATime() throws Exception {
    int nodes = 3;
    List<Transport> transports = new ArrayList<>();
    List<Listener> listeners = new ArrayList<>();
    SendChannel[][] out = new SendChannel[nodes][nodes];
    ReceiveChannel[][] in = new ReceiveChannel[nodes][nodes];
    for (int node = 0; node < nodes; node++) {
      transports.add(open(3 + node, Map.of()));
      listeners.add(listen(transports.get(node)));
    }
    for (int from = 0; from < nodes; from++) {
      for (int to = 0; to < nodes; to++) {
        if (from != to) {
          out[from][to] = transports.get(from).connect(listeners.get(to).handle(), LIMIT);
          in[to][from] = listeners.get(to).accept(LIMIT);
        }
      }
    }
    List<CompletableFuture<Long>> sums = new ArrayList<>();
    for (int node = 0; node < nodes; node++) {
      int self = node;
      sums.add(
          CompletableFuture.supplyAsync(
              () -> reduce(self, transports.get(self), out[self], in[self])));
    }
    for (CompletableFuture<Long> sum : sums) {
      assertEquals((long) ROUNDS * nodes * (nodes - 1) / 2, sum.get(40, TimeUnit.SECONDS));
    }
  }

  private static long reduce(
      int self, Transport transport, SendChannel[] out, ReceiveChannel[] in) {
    try (RegisteredMemory own = transport.allocate(Long.BYTES);
        RegisteredMemory others = transport.allocate(Long.BYTES)) {
      own.segments().get(0).putLong(0, self);
      long sum = 0;
      for (int round = 0; round < ROUNDS; round++) {
        long[] sends = new long[out.length];
        for (int peer = 0; peer < out.length; peer++) {
          sends[peer] = peer == self ? 0 : out[peer].isend(own, 0, Long.BYTES, round);
        }
        sum += self;
        for (int peer = 0; peer < in.length; peer++) {
          if (peer != self) {
            long receive = in[peer].irecv(others, 0, Long.BYTES, round);
            assertEquals(Long.BYTES, in[peer].await(receive, LIMIT));
            sum += others.segments().get(0).getLong(0);
          }
        }
        for (int peer = 0; peer < out.length; peer++) {
          if (peer != self) {
            assertEquals(Long.BYTES, out[peer].await(sends[peer], LIMIT));
          }
        }
      }
      return sum;
    } catch (TransportException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void shouldStartNoThreadAsLongAsNothingWaits() throws Exception {
    long before = progressThreads();
    Transport a = open(6, Map.of());
    Transport b = open(7, Map.of());
    Listener listener = listen(b);
    SendChannel out = a.connect(listener.handle(), LIMIT);
    ReceiveChannel in = listener.accept(LIMIT);
    long receive = in.irecv(b.allocate(BYTES), 0, BYTES, 7);
    out.awaitProgress(out.progressCount(), Duration.ofMillis(20));
    long send = out.isend(a.allocate(BYTES), 0, BYTES, 7);
    assertEquals(BYTES, in.await(receive, LIMIT));
    assertEquals(BYTES, out.await(send, LIMIT));
    assertEquals(before, progressThreads());
  }

  @Test
  void shouldLeaveThingsToTheProgramThatPollsEverything() throws Exception {
    long before = progressThreads();
    Transport a = open(8, Map.of("MESH_PROGRESS_THREAD", "0"));
    Transport b = open(9, Map.of("MESH_PROGRESS_THREAD", "0"));
    Listener listener = listen(b);
    SendChannel out = a.connect(listener.handle(), LIMIT);
    ReceiveChannel in = listener.accept(LIMIT);
    long send = out.isend(a.allocate(BYTES), 0, BYTES, 7);
    long receive = in.irecv(b.allocate(BYTES), 0, BYTES, 7);
    assertEquals(Channel.PENDING, in.await(receive, Duration.ofMillis(200)));
    assertEquals(1, out.sendsNeedingProgress(), "its announcement lies unread");
    assertEquals(before, progressThreads());
    assertEquals(BYTES, out.await(send, LIMIT));
    assertEquals(BYTES, in.await(receive, LIMIT));
  }
}
