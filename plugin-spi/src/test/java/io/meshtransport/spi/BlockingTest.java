// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.spi.TransportException.Reason;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

class BlockingTest {
  private static final long REQUEST = 17;
  private static final Duration TIMEOUT = Duration.ofMillis(250);

  private final Scripted channel = new Scripted();

  @Test
  void shouldReturnTheLengthThatAwaitFound() throws TransportException {
    channel.answers.add(4_096L);
    assertEquals(4_096, Blocking.finish(channel, () -> REQUEST, TIMEOUT));
    assertEquals(TIMEOUT, channel.awaited);
  }

  @Test
  void shouldTreatTheEmptyMessageAsAnOrdinaryOne() throws TransportException {
    channel.answers.add(0L);
    assertEquals(0, Blocking.finish(channel, () -> 0, TIMEOUT));
  }

  @Test
  void shouldTestUntilTheRequestsOwnDeadlineEndsIt() throws TransportException {
    channel.answers.addAll(List.of(Channel.PENDING, Channel.PENDING, Channel.PENDING, 5L));
    assertEquals(5, Blocking.finish(channel, () -> REQUEST, TIMEOUT));
    assertTrue(channel.answers.isEmpty());
  }

  @Test
  void shouldThrowWhyTheRequestFailed() {
    channel.answers.add(Channel.FAILED);
    assertSame(channel.why, thrown(REQUEST));
  }

  @Test
  void shouldThrowWhyTheRequestFailedAfterTheWait() {
    channel.answers.addAll(List.of(Channel.PENDING, Channel.FAILED));
    assertSame(channel.why, thrown(REQUEST));
  }

  @Test
  void shouldThrowWhyTheChannelHasFailedWhenNothingCouldBegin() {
    assertSame(channel.why, thrown(Channel.FAILED));
  }

  @Test
  void shouldSayBusyAndWhatToDo() {
    TransportException busy = thrown(Channel.BUSY);
    assertEquals(Reason.BUSY, busy.reason());
    assertEquals(
        "node-b at 10.0.1.2/24 via eth1: 64 requests are outstanding."
            + " Test some of them, then try again.",
        busy.getMessage());
  }

  /** A receive of a connection has one more reason. */
  @Test
  void shouldSayOfAReceiveWhatElseMayBeFull() throws TransportException {
    try (InMemoryTransport from = new InMemoryTransport("from");
        InMemoryTransport to = new InMemoryTransport("to")) {
      Connection connection = ConnectionPair.between(from, to).opened();
      for (int i = 0; i < Transport.MAX_REQUESTS; i++) {
        assertTrue(connection.irecv(ByteBuffer.allocate(1), 1) >= 0);
      }
      TransportException busy =
          assertThrows(
              TransportException.class,
              () -> connection.receive(ByteBuffer.allocate(1), 1, TIMEOUT));
      assertEquals(Reason.BUSY, busy.reason());
      assertEquals(
          connection.route()
              + ": 64 requests are outstanding, or as many receives of groups and messages of"
              + " multi-receives are awaited as there may be. Test some of them, then try again.",
          busy.getMessage());
    }
  }

  @Test
  void shouldSayInterruptedAndKeepTheInterrupt() {
    channel.answers.add(Channel.PENDING);
    Thread.currentThread().interrupt();
    assertEquals(Reason.INTERRUPTED, thrown(REQUEST).reason());
    assertEquals(REQUEST, channel.detached, "no caller will ever test it");
    assertTrue(Thread.interrupted(), "the interrupt stays set");
  }

  /** Else the wait for the rest, which an interrupt cuts short, would be a loop without a pause. */
  @Test
  void shouldSayInterruptedAfterTheDeadlineToo() {
    channel.answers.addAll(List.of(Channel.PENDING, Channel.PENDING, 5L));
    channel.interruptsAt = 2;
    assertEquals(Reason.INTERRUPTED, thrown(REQUEST).reason());
    assertEquals(REQUEST, channel.detached, "no caller will ever test it");
    assertTrue(Thread.interrupted(), "the interrupt stays set");
  }

  @Test
  void shouldPreferTheResultToTheInterrupt() throws TransportException {
    channel.answers.add(3L);
    Thread.currentThread().interrupt();
    assertEquals(3, Blocking.finish(channel, () -> REQUEST, TIMEOUT));
    assertTrue(Thread.interrupted(), "the interrupt stays set");
  }

  private TransportException thrown(long begun) {
    return assertThrows(
        TransportException.class, () -> Blocking.finish(channel, () -> begun, TIMEOUT));
  }

  /** Gives prepared answers, first to await, then to test. */
  private static final class Scripted implements Channel {
    private final Queue<Long> answers = new ArrayDeque<>();
    private final TransportException why = new TransportException(Reason.PEER_GONE, "scripted");
    private Duration awaited;
    private long detached = PENDING;
    private int interruptsAt;
    private int awaits;

    @Override
    public Map<Counter, Long> counts() {
      return Map.of();
    }

    @Override
    public ChannelState state() {
      return ChannelState.READY;
    }

    @Override
    public Route route() {
      return new Route("node-b", "", "eth1", "", "10.0.1.2/24", "", "", "", 0);
    }

    @Override
    public long test(long request) {
      return answers.remove();
    }

    @Override
    public long test(long request, long[] lengthsBytes) {
      return test(request);
    }

    @Override
    public long await(long request, Duration timeout) {
      awaited = timeout;
      if (++awaits == interruptsAt) {
        Thread.currentThread().interrupt();
      }
      return test(request);
    }

    @Override
    public long progressCount() {
      return 0;
    }

    @Override
    public long awaitProgress(long seen, Duration timeout) {
      return seen;
    }

    @Override
    public void detach(long request) {
      detached = request;
    }

    @Override
    public TransportException failure() {
      return why;
    }

    @Override
    public TransportException failure(long request) {
      return why;
    }

    @Override
    public CompletionStage<Void> closeAsync() {
      return CompletableFuture.completedStage(null);
    }

    @Override
    public void close() {}
  }
}
