// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.spi.PolledPair.Entry;
import io.meshtransport.spi.TransportException.Reason;
import io.meshtransport.testing.AllocationCounter;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Contract: one place where a thread learns what happened on any number of connections. */
abstract class PollerChapter extends ContractChapter {
  private static final Duration SOON = Duration.ofMillis(2);
  private static final Duration SHORT = Duration.ofMillis(20);

  /** Connections at one poller, and how many of them have messages. */
  private static final int CONNECTIONS = 50;

  private static final int ACTIVE = 3;

  /** Messages of one pass, each of which must leave nothing to the collector. */
  private static final int PASS = 2_000;

  private static final int MAX_PASSES = 40;

  /** Connections that are closed while they are added. */
  private static final int CLOSES = 10;

  @Override
  boolean needsConnections() {
    return true;
  }

  @Override
  boolean needsPollers() {
    return true;
  }

  private PolledPair polled() throws TransportException {
    return PolledPair.between(left, right);
  }

  private static long send(ChannelEnds ends, long offset, long length, int tag, long userData) {
    Connection out = (Connection) ends.out();
    return out.isend(ends.source(), offset, length, tag, Connection.NO_DEADLINE, userData);
  }

  private static long receive(ChannelEnds ends, long offset, long length, int tag, long userData) {
    Connection in = (Connection) ends.in();
    return in.irecv(ends.sink(), offset, length, tag, Connection.NO_DEADLINE, userData);
  }

  @Test
  void shouldReportEachKindWithItsUserDataRequestAndLength() throws TransportException {
    PolledPair polled = polled();
    Connection opened = polled.pair().opened();
    ChannelEnds forth = polled.pair().forth(64);
    ChannelEnds back = polled.pair().back(64);
    RegisteredMemory far =
        right.register(List.of(ByteBuffer.allocateDirect(64)), EnumSet.allOf(RemoteAccess.class));
    RemoteMemory remote = left.remoteMemory(far.remoteKey());

    Map<Long, CompletionKind> kinds = new HashMap<>();
    Map<Long, Long> userData = new HashMap<>();
    long sent = send(forth, 0, 10, 1, Long.MAX_VALUE);
    long received = receive(back, 0, 64, 2, Long.MIN_VALUE);
    long plainSent =
        opened.isend(ByteBuffer.allocate(11), 3, Connection.NO_DEADLINE, 0x1234_5678_9ABC_DEF0L);
    long plainReceived = opened.irecv(ByteBuffer.allocate(64), 4, Connection.NO_DEADLINE, -1);
    long put =
        opened.iput(
            new TransferList().add(forth.source(), 0, 12, remote, 0), Connection.NO_DEADLINE, 5);
    long got =
        opened.iget(
            new TransferList().add(forth.source(), 0, 13, remote, 0), Connection.NO_DEADLINE, 6);
    long unmarked = opened.isend(forth.source(), 0, 14, 7);
    Object[][] expected = {
      {sent, CompletionKind.SENT, Long.MAX_VALUE, 10L},
      {received, CompletionKind.RECEIVED, Long.MIN_VALUE, 15L},
      {plainSent, CompletionKind.SENT, 0x1234_5678_9ABC_DEF0L, 11L},
      {plainReceived, CompletionKind.RECEIVED, -1L, 16L},
      {put, CompletionKind.PUT, 5L, 12L},
      {got, CompletionKind.GOT, 6L, 13L},
      {unmarked, CompletionKind.SENT, 0L, 14L},
    };
    Pending.finish(
        forth.receive(0, 64, 1),
        back.send(0, 15, 2),
        forth.receive(0, 64, 3),
        back.send(0, 16, 4),
        forth.receive(0, 64, 7));
    Map<Long, Entry> entries = new HashMap<>();
    polled.collect(expected.length).forEach(entry -> entries.put(entry.request(), entry));
    for (Object[] each : expected) {
      Entry entry = entries.get(each[0]);
      assertEquals(each[1], entry.kind());
      assertEquals(each[2], entry.userData());
      assertEquals(each[3], entry.lengthBytes());
      assertSame(opened, entry.connection());
      assertNull(entry.failure());
    }
    PolledPair.assertNothingMore(polled.poller());
  }

  @Test
  void shouldReportAGroupAsOneReceive() throws TransportException {
    PolledPair polled = polled();
    ChannelEnds back = polled.pair().back(64);
    ReceiveGroup group = new ReceiveGroup().add(back.sink(), 0, 8, 1).add(back.sink(), 8, 8, 2);
    long request = polled.pair().opened().irecv(group, Connection.NO_DEADLINE);
    Pending.finish(back.send(0, 3, 2), back.send(0, 4, 1));
    Entry entry = polled.collect(1).get(0);
    assertEquals(request, entry.request());
    assertEquals(CompletionKind.RECEIVED, entry.kind());
    assertEquals(7, entry.lengthBytes());
  }

  /** None of them is tested, and none is the sixteenth. */
  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void shouldReportTheEndsOfSelectiveSendsThatNothingFollows(int messages)
      throws TransportException {
    PolledPair polled = polled();
    polled.pair().opened().sendMode(SendMode.STREAM);
    ChannelEnds forth = polled.pair().forth(64);
    List<Pending> receives = new ArrayList<>();
    for (int i = 0; i < messages; i++) {
      receives.add(forth.receive(0, 64, 1));
      send(forth, 0, 10 + i, 1, i);
    }
    Pending.finish(receives.toArray(Pending[]::new));
    List<Entry> entries = polled.collect(messages);
    for (int i = 0; i < messages; i++) {
      assertEquals(CompletionKind.SENT, entries.get(i).kind());
      assertEquals(i, entries.get(i).userData());
      assertEquals(10 + i, entries.get(i).lengthBytes());
    }
  }

  @Test
  void shouldReportTheMessagesOfOneTagInTheirOrder() throws TransportException {
    PolledPair polled = polled();
    ChannelEnds back = polled.pair().back(64);
    List<Pending> sends = new ArrayList<>();
    for (int i = 0; i < 32; i++) {
      receive(back, 0, 64, 1, i);
    }
    for (int i = 0; i < 32; i++) {
      sends.add(back.send(0, i, 1));
    }
    Pending.finish(sends.toArray(Pending[]::new));
    List<Entry> entries = polled.collect(32);
    for (int i = 0; i < 32; i++) {
      assertEquals(i, entries.get(i).userData());
      assertEquals(i, entries.get(i).lengthBytes());
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 7})
  void shouldLeaveForTheNextPollWhatDoesNotFit(int capacity) throws TransportException {
    PolledPair polled = polled();
    ChannelEnds back = polled.pair().back(64);
    List<Pending> sends = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      receive(back, 0, 64, 1, i);
      sends.add(back.send(0, i, 1));
    }
    Pending.finish(sends.toArray(Pending[]::new));
    Completions table = new Completions(capacity);
    List<Entry> all = new ArrayList<>();
    eventually()
        .until(
            () -> {
              int count = polled.poller().poll(table);
              assertEquals(count, table.count());
              assertTrue(count <= capacity);
              all.addAll(PolledPair.entries(table));
              return all.size() >= 20;
            });
    for (int i = 0; i < 20; i++) {
      assertEquals(i, all.get(i).userData());
    }
    assertEquals(0, polled.poller().poll(table), "the table is empty when nothing has ended");
    assertEquals(0, table.count());
  }

  @Test
  void shouldFreeARequestWhenItIsReported() throws TransportException {
    PolledPair polled = polled();
    Connection opened = polled.pair().opened();
    ChannelEnds forth = polled.pair().forth(64);
    Set<Long> numbers = new HashSet<>();
    for (int round = 0; round < 3; round++) {
      List<Pending> receives = new ArrayList<>();
      for (int i = 0; i < Transport.MAX_REQUESTS; i++) {
        assertTrue(numbers.add(send(forth, 0, 64, 1, i)), "a number came twice");
      }
      assertEquals(Channel.BUSY, send(forth, 0, 64, 1, 0));
      for (int i = 0; i < Transport.MAX_REQUESTS; i++) {
        receives.add(forth.receive(0, 64, 1));
      }
      Pending.finish(receives.toArray(Pending[]::new));
      polled.collect(Transport.MAX_REQUESTS);
    }
    assertEquals(ChannelState.READY, opened.state());
  }

  @Test
  void shouldEndBusyWithTheNextReport() throws TransportException {
    PolledPair polled = polled();
    ChannelEnds forth = polled.pair().forth(64);
    for (int i = 0; i < Transport.MAX_REQUESTS; i++) {
      send(forth, 0, 64, 1, i);
    }
    for (int round = 0; round < 10; round++) {
      assertEquals(Channel.BUSY, send(forth, 0, 64, 1, 0));
      Pending receive = forth.receive(0, 64, 1);
      polled.collect(1);
      assertTrue(send(forth, 0, 64, 1, 0) >= 0, "what was reported has freed a request");
      Pending.finish(receive);
    }
    assertEquals(ChannelState.READY, polled.pair().opened().state());
  }

  @Test
  void shouldReportEachFailureAtItsOwnRequest() throws TransportException {
    PolledPair polled = polled();
    ChannelEnds forth = polled.pair().forth(64);
    ChannelEnds back = polled.pair().back(64);
    long late = polled.pair().opened().isend(forth.source(), 0, 64, 1, SOON.toNanos(), 10);
    Entry timedOut = polled.collect(1).get(0);
    assertEquals(late, timedOut.request());
    assertEquals(CompletionKind.FAILED, timedOut.kind());
    assertEquals(10, timedOut.userData());
    assertEquals(0, timedOut.lengthBytes());
    assertEquals(Reason.TIMED_OUT, timedOut.reason());

    receive(back, 0, 4, 2, 20);
    receive(back, 4, 4, 2, 21);
    Pending.Outcome tooLong = Pending.finish(back.send(0, 5, 2), back.send(0, 4, 2)).get(0);
    assertEquals(Reason.MESSAGE_TOO_LONG, tooLong.reason());
    Map<Long, Entry> entries = new HashMap<>();
    polled.collect(2).forEach(entry -> entries.put(entry.userData(), entry));
    assertEquals(Reason.MESSAGE_TOO_LONG, entries.get(20L).reason());
    assertEquals(CompletionKind.RECEIVED, entries.get(21L).kind());
    assertEquals(ChannelState.READY, polled.pair().opened().state());
    PolledPair.assertNothingMore(polled.poller());
  }

  @Test
  void shouldReportWhatWasTakenBack() throws TransportException {
    PolledPair polled = polled();
    ChannelEnds back = polled.pair().back(64);
    Connection opened = polled.pair().opened();
    long request = opened.irecv(back.sink(), 0, 64, 1, Connection.NO_DEADLINE, 5);
    opened.withdraw(request);
    Entry entry = polled.collect(1).get(0);
    assertEquals(CompletionKind.WITHDRAWN, entry.kind());
    assertEquals(request, entry.request());
    assertEquals(5, entry.userData());
    assertEquals(ChannelState.READY, opened.state());
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldReportClosedOnceAndLast(boolean closedHere) throws TransportException {
    PolledPair polled = polled();
    ChannelEnds forth = polled.pair().forth(64);
    ChannelEnds back = polled.pair().back(64);
    receive(back, 0, 64, 1, 1);
    Pending.finish(back.send(0, 9, 1));
    send(forth, 0, 64, 2, 2);
    receive(back, 0, 64, 3, 3);
    Reason reason = closedHere ? Reason.CLOSED : Reason.PEER_CLOSED;
    (closedHere ? polled.pair().opened() : polled.pair().accepted()).close();

    List<Entry> entries = PolledPair.collect(polled.poller(), 4);
    assertEquals(1, entries.get(0).userData(), "what was complete before is not lost");
    assertEquals(CompletionKind.RECEIVED, entries.get(0).kind());
    Set<Long> failed = new HashSet<>();
    for (Entry entry : entries.subList(1, 3)) {
      assertEquals(CompletionKind.FAILED, entry.kind());
      assertEquals(reason, entry.reason());
      failed.add(entry.userData());
    }
    assertEquals(Set.of(2L, 3L), failed);
    Entry last = entries.get(3);
    assertEquals(CompletionKind.CLOSED, last.kind());
    assertEquals(reason, last.reason());
    assertEquals(-1, last.request());
    assertEquals(0, last.userData());
    assertSame(polled.pair().opened(), last.connection());
    PolledPair.assertNothingMore(polled.poller());
    polled.pair().opened().close();
    PolledPair.assertNothingMore(polled.poller());
  }

  @Test
  void shouldReportClosedOfAnIdleConnectionAndOfOneAddedTooLate() throws TransportException {
    PolledPair polled = polled();
    polled.pair().accepted().close();
    Entry entry = PolledPair.collect(polled.poller(), 1).get(0);
    assertEquals(CompletionKind.CLOSED, entry.kind());
    assertEquals(Reason.PEER_CLOSED, entry.reason());

    ConnectionPair late = ConnectionPair.between(left, right);
    late.accepted().close();
    eventually().until(() -> hasFailed(late.opened()));
    polled.poller().add(late.opened());
    Entry second = PolledPair.collect(polled.poller(), 1).get(0);
    assertEquals(CompletionKind.CLOSED, second.kind());
    assertSame(late.opened(), second.connection());
  }

  @Test
  void shouldReportClosedOfOneThatThisEndHasClosedBefore() throws TransportException {
    Poller poller = left.newPoller();
    ConnectionPair pair = ConnectionPair.between(left, right);
    pair.opened().close();
    poller.add(pair.opened());
    Entry entry = PolledPair.collect(poller, 1).get(0);
    assertEquals(CompletionKind.CLOSED, entry.kind());
    assertEquals(Reason.CLOSED, entry.reason());
    assertSame(pair.opened(), entry.connection());
    PolledPair.assertNothingMore(poller);

    ConnectionPair failed = ConnectionPair.between(left, right);
    failed.accepted().close();
    eventually().until(() -> hasFailed(failed.opened()));
    failed.opened().close();
    poller.add(failed.opened());
    assertEquals(Reason.PEER_CLOSED, PolledPair.collect(poller, 1).get(0).reason());
    PolledPair.assertNothingMore(poller);
  }

  @Test
  void shouldReportClosedOfOneThatAnotherThreadClosesMeanwhile() throws Exception {
    Poller poller = left.newPoller();
    for (int round = 0; round < CLOSES; round++) {
      ConnectionPair pair = ConnectionPair.between(left, right);
      Parallel closing = Parallel.start(pair.opened()::close);
      poller.add(pair.opened());
      Entry entry = PolledPair.collect(poller, 1).get(0);
      assertEquals(CompletionKind.CLOSED, entry.kind());
      assertEquals(Reason.CLOSED, entry.reason());
      closing.join();
      pair.accepted().close();
    }
    PolledPair.assertNothingMore(poller);
  }

  private static boolean hasFailed(Connection connection) {
    connection.awaitProgress(connection.progressCount(), SHORT);
    return connection.state() == ChannelState.FAILED;
  }

  @Test
  void shouldAddOnlyWhatItMay() throws TransportException {
    PolledPair polled = polled();
    Poller poller = polled.poller();
    assertThrows(IllegalStateException.class, () -> poller.add(polled.pair().opened()));
    // Closed with their nodes.
    Poller other = left.newPoller();
    Poller foreign = right.newPoller();
    assertThrows(IllegalStateException.class, () -> other.add(polled.pair().opened()));
    ConnectionPair fresh = ConnectionPair.between(left, right);
    assertThrows(IllegalArgumentException.class, () -> foreign.add(fresh.opened()));
    foreign.add(fresh.accepted());

    Pending outstanding = fresh.forth(64).send(0, 64, 1);
    assertThrows(IllegalStateException.class, () -> poller.add(fresh.opened()));
    fresh.accepted().irecv(memory(right, 64), 0, 64, 1);
    assertEquals(64, outstanding.finish().lengthBytes());
    poller.add(fresh.opened());

    other.close();
    other.close();
    ConnectionPair more = ConnectionPair.between(left, right);
    assertThrows(IllegalStateException.class, () -> other.add(more.opened()));
    more.assertAlive();
  }

  @Test
  void shouldRefuseOtherWaysToLearnTheEndOfARequest() throws TransportException {
    PolledPair polled = polled();
    Connection opened = polled.pair().opened();
    ChannelEnds forth = polled.pair().forth(64);
    long request = send(forth, 0, 64, 1, 1);
    RegisteredMemory source = forth.source();
    assertThrows(IllegalStateException.class, () -> opened.test(request));
    assertThrows(IllegalStateException.class, () -> opened.await(request, SOON));
    assertThrows(IllegalStateException.class, () -> opened.detach(request));
    assertThrows(IllegalStateException.class, () -> opened.send(source, 0, 64, 2, SOON));
    assertThrows(IllegalStateException.class, () -> opened.send(ByteBuffer.allocate(1), 2, SOON));
    assertThrows(IllegalStateException.class, () -> opened.receive(source, 0, 64, 2, SOON));
    assertThrows(
        IllegalStateException.class, () -> opened.receive(ByteBuffer.allocate(1), 2, SOON));
    assertEquals(64, forth.receive(0, 64, 1).finish().lengthBytes());
    assertEquals(request, polled.collect(1).get(0).request());
    // The refused calls have begun nothing.
    PolledPair.assertNothingMore(polled.poller());
  }

  @Test
  void shouldEndTheNextWaitWhenWokenBefore() throws TransportException {
    PolledPair polled = polled();
    polled.poller().wakeup();
    polled.poller().wakeup();
    assertEquals(0, polled.poller().await(new Completions(1), PATIENCE));
    // Two wake-ups before one wait are one.
    long begin = System.nanoTime();
    assertEquals(0, polled.poller().await(new Completions(1), SHORT));
    assertTrue(System.nanoTime() - begin >= SHORT.toNanos());
  }

  @Test
  void shouldReportWhatThereIsWhenWoken() throws TransportException {
    PolledPair polled = polled();
    ChannelEnds back = polled.pair().back(64);
    receive(back, 0, 64, 1, 1);
    Pending.finish(back.send(0, 9, 1));
    polled.poller().wakeup();
    Completions table = new Completions(1);
    // An adapter may report a little later than the sender knows.
    eventually().until(() -> polled.poller().await(table, SHORT) == 1);
    assertEquals(9, table.lengthBytes(0));
  }

  @Test
  void shouldEndTheWaitThatIsInProgressWhenWoken() throws Exception {
    PolledPair polled = polled();
    CountDownLatch waiting = new CountDownLatch(1);
    Parallel wait =
        Parallel.start(
            () -> {
              waiting.countDown();
              assertEquals(0, polled.poller().await(new Completions(1), PATIENCE.multipliedBy(2)));
            });
    waiting.await();
    polled.poller().wakeup();
    wait.join();
  }

  @Test
  void shouldWaitUntilTheTimePasses() throws TransportException {
    PolledPair polled = polled();
    Completions table = new Completions(1);
    assertEquals(0, polled.poller().await(table, Duration.ZERO));
    assertEquals(0, polled.poller().await(table, 0));
    assertEquals(0, polled.poller().await(table, Duration.ofSeconds(Long.MIN_VALUE)));
    assertEquals(0, polled.poller().await(table, Long.MIN_VALUE));
    long begin = System.nanoTime();
    assertEquals(0, polled.poller().await(table, SHORT));
    assertEquals(0, polled.poller().await(table, SHORT.toNanos()));
    assertTrue(System.nanoTime() - begin >= 2 * SHORT.toNanos());
    assertEquals(0, polled.poller().poll(table));
  }

  @Test
  void shouldEndTheWaitOfAnInterruptedThread() throws TransportException {
    PolledPair polled = polled();
    Thread.currentThread().interrupt();
    assertEquals(0, polled.poller().await(new Completions(1), PATIENCE.multipliedBy(3)));
    assertTrue(Thread.interrupted(), "the interrupt stays set");
    assertEquals(0, polled.poller().await(new Completions(1), SOON));
  }

  @Test
  void shouldWakeAWaitForAMessage() throws Exception {
    PolledPair polled = polled();
    ChannelEnds back = polled.pair().back(64);
    receive(back, 0, 64, 1, 1);
    CountDownLatch waiting = new CountDownLatch(1);
    Parallel sender =
        Parallel.start(
            () -> {
              waiting.await();
              back.send(0, 9, 1).finish();
            });
    Completions table = new Completions(4);
    waiting.countDown();
    assertEquals(1, polled.poller().await(table, PATIENCE));
    assertEquals(9, table.lengthBytes(0));
    sender.join();
  }

  @Test
  void shouldKeepTwoPollersApart() throws TransportException {
    PolledPair one = polled();
    PolledPair two = polled();
    ChannelEnds first = one.pair().back(64);
    ChannelEnds second = two.pair().back(64);
    receive(first, 0, 64, 1, 1);
    receive(second, 0, 64, 1, 2);
    Pending.finish(first.send(0, 5, 1), second.send(0, 6, 1));
    assertEquals(2, two.collect(1).get(0).userData());
    assertEquals(1, one.collect(1).get(0).userData());
    one.poller().close();
    receive(second, 0, 64, 1, 3);
    Pending.finish(second.send(0, 6, 1));
    assertEquals(3, two.collect(1).get(0).userData());
  }

  @Test
  void shouldLeaveConnectionsAloneWhenThePollerCloses() throws TransportException {
    PolledPair polled = polled();
    ChannelEnds forth = polled.pair().forth(64);
    ChannelEnds back = polled.pair().back(64);
    Connection opened = polled.pair().opened();
    Pending before = new Pending(opened, receive(back, 0, 64, 1, 1));
    polled.poller().close();
    polled.poller().close();
    assertEquals(ChannelState.READY, opened.state());
    assertFalse(opened.isPolled());
    assertEquals(9, back.send(0, 9, 1).finish().lengthBytes());
    assertEquals(9, before.finish().lengthBytes());
    Pending after = new Pending(opened, send(forth, 0, 64, 1, 1));
    assertEquals(64, forth.receive(0, 64, 1).finish().lengthBytes());
    assertEquals(64, after.finish().lengthBytes());
    try (Poller another = left.newPoller()) {
      another.add(opened);
      assertTrue(opened.isPolled());
    }
    opened.close();
    assertEquals(ChannelState.CLOSED, opened.state());
  }

  @Test
  void shouldEndAWaitWhenThePollerCloses() throws Exception {
    Poller poller = left.newPoller();
    Parallel waits = Parallel.start(() -> assertIsClosed(poller));
    poller.close();
    waits.join();
  }

  /** Waits until it is. */
  private static void assertIsClosed(Poller poller) {
    Completions table = new Completions(4);
    assertThrows(
        IllegalStateException.class,
        () -> {
          while (true) {
            assertEquals(0, poller.await(table, PATIENCE.multipliedBy(3)));
          }
        });
  }

  @Test
  void shouldEndAWaitWhenTheTransportCloses() throws Exception {
    Poller poller = left.newPoller();
    Parallel waits = Parallel.start(() -> assertIsClosed(poller));
    left.close();
    waits.join();
    assertThrows(IllegalStateException.class, () -> poller.poll(new Completions(4)));
    poller.close();
  }

  @Test
  void shouldReportWhatIsLeftBeforeItIsClosedWithItsTransport() throws TransportException {
    PolledPair polled = polled();
    receive(polled.pair().back(64), 0, 64, 1, 7);
    left.close();
    List<Entry> entries = polled.collect(2);
    assertEquals(7, entries.get(0).userData());
    assertEquals(Reason.CLOSED, entries.get(0).reason());
    assertEquals(CompletionKind.CLOSED, entries.get(1).kind());
    assertThrows(
        IllegalStateException.class, () -> polled.poller().await(new Completions(4), PATIENCE));
    polled.poller().close();
    assertThrows(IllegalStateException.class, () -> polled.poller().poll(new Completions(4)));
  }

  @Test
  void shouldExchangeMessagesBetweenTwoPolledEnds() throws Exception {
    PolledPair polled = polled();
    Poller far = right.newPoller();
    far.add(polled.pair().accepted());
    ChannelEnds forth = polled.pair().forth(64);
    ChannelEnds back = polled.pair().back(64);
    int rounds = contract().repetitions(200);
    Parallel echo = Parallel.start(() -> echo(far, forth, back, rounds));
    Completions table = new Completions(4);
    for (int i = 0; i < rounds; i++) {
      receive(back, 0, 64, 1, 2);
      forth.sourceBytes().putInt(0, i);
      send(forth, 0, 4, 1, 1);
      awaitBoth(polled.poller(), table);
      assertEquals(i, back.sinkBytes().getInt(0));
    }
    echo.join();
  }

  private static void echo(Poller poller, ChannelEnds forth, ChannelEnds back, int rounds) {
    Completions table = new Completions(4);
    for (int i = 0; i < rounds; i++) {
      receive(forth, 0, 64, 1, 2);
      int arrived = 0;
      while (arrived == 0) {
        assertTrue(poller.await(table, PATIENCE) > 0, "nothing came");
        for (int k = 0; k < table.count(); k++) {
          arrived += table.kind(k) == CompletionKind.RECEIVED ? 1 : 0;
        }
      }
      back.sourceBytes().putInt(0, forth.sinkBytes().getInt(0));
      send(back, 0, 4, 1, 1);
    }
    while (((Connection) back.out()).sendsNeedingProgress() > 0) {
      poller.await(table, SOON);
    }
  }

  private static void awaitBoth(Poller poller, Completions table) {
    int ends = 0;
    while (ends < 2) {
      int count = poller.await(table, PATIENCE);
      assertTrue(count > 0, "nothing came");
      ends += count;
      for (int k = 0; k < count; k++) {
        assertNull(table.failure(k));
      }
    }
  }

  @Test
  void shouldReportOfTheFewActiveOnesAmongManyConnections() throws TransportException {
    List<ConnectionPair> pairs = new ArrayList<>();
    Poller poller = left.newPoller();
    try (Listener listener = right.listen()) {
      for (int i = 0; i < contract().repetitions(CONNECTIONS); i++) {
        pairs.add(ConnectionPair.between(left, right, listener));
        poller.add(pairs.get(i).opened());
      }
    }
    for (int round = 0; round < 3; round++) {
      List<Pending> sends = new ArrayList<>();
      Set<Connection> active = new HashSet<>();
      for (int i = 0; i < ACTIVE; i++) {
        ConnectionPair pair = pairs.get((round + i * 7) % pairs.size());
        ChannelEnds back = pair.back(64);
        receive(back, 0, 64, 1, i);
        sends.add(back.send(0, 9, 1));
        active.add(pair.opened());
      }
      Pending.finish(sends.toArray(Pending[]::new));
      Set<Connection> reported = new HashSet<>();
      PolledPair.collect(poller, ACTIVE).forEach(entry -> reported.add(entry.connection()));
      assertEquals(active, reported);
    }
    PolledPair.assertNothingMore(poller);
    for (ConnectionPair pair : pairs) {
      assertEquals(ChannelState.READY, pair.opened().state());
    }
    pairs.forEach(pair -> pair.accepted().close());
    Set<Connection> closed = new HashSet<>();
    for (Entry entry : PolledPair.collect(poller, pairs.size())) {
      assertEquals(CompletionKind.CLOSED, entry.kind());
      assertTrue(closed.add(entry.connection()), "reported twice");
    }
  }

  @Test
  void shouldTakeConnectionsWhileAnotherThreadWaits() throws Exception {
    Poller poller = left.newPoller();
    ConnectionPair pair = ConnectionPair.between(left, right);
    ChannelEnds back = pair.back(64);
    CountDownLatch waiting = new CountDownLatch(1);
    Parallel wait =
        Parallel.start(
            () -> {
              waiting.countDown();
              Completions table = new Completions(4);
              assertEquals(1, poller.await(table, PATIENCE));
              assertEquals(42, table.userData(0));
            });
    waiting.await();
    poller.add(pair.opened());
    receive(back, 0, 64, 1, 42);
    assertEquals(9, back.send(0, 9, 1).finish().lengthBytes());
    wait.join();
  }

  @Test
  @Tag("slow")
  void shouldAllocateNothingOnceWarm() throws TransportException {
    PolledPair polled = polled();
    Poller far = right.newPoller();
    far.add(polled.pair().accepted());
    ChannelEnds forth = polled.pair().forth(64);
    Completions near = new Completions(8);
    Completions other = new Completions(8);
    AllocationCounter.ofThisThread()
        .expectFewerBytes(
            PASS,
            MAX_PASSES,
            () -> {
              for (int i = 0; i < contract().repetitions(PASS); i++) {
                receive(forth, 0, 64, 1, i);
                send(forth, 0, 64, 1, i);
                int open = 2;
                while (open > 0) {
                  open -= polled.poller().poll(near);
                  open -= far.await(other, 1_000);
                }
              }
            });
    assertFalse(near.isFull());
  }

  @Test
  void shouldHaveADescriptorThatIsReadableOnceAMessageHasCome() throws TransportException {
    PolledPair polled = polled();
    Poller poller = polled.poller();
    if (contract().descriptorPoll().isEmpty()) {
      assertThrows(UnsupportedOperationException.class, poller::fd);
      return;
    }
    IntPredicate isReadable = contract().descriptorPoll().get();
    int fd = poller.fd();
    Completions table = new Completions(4);
    ChannelEnds back = polled.pair().back(64);
    for (int round = 0; round < 3; round++) {
      receive(back, 0, 64, 1, round);
      // What else the peer has sent, such as the report that it knows of the receive, may come.
      eventually().until(() -> poller.poll(table) == 0 && poller.arm() && !isReadable.test(fd));
      assertEquals(9, back.send(0, 9, 1).finish().lengthBytes());
      eventually().until(() -> isReadable.test(fd));
      // A device may report to others a little later than its events.
      eventually().until(() -> poller.poll(table) == 1);
      assertEquals(CompletionKind.RECEIVED, table.kind(0));
      assertEquals(round, table.userData(0));
    }
    eventually().until(() -> poller.poll(table) == 0 && poller.arm() && !isReadable.test(fd));
    poller.wakeup();
    eventually().until(() -> isReadable.test(fd));
    assertFalse(poller.arm(), "woken: poll instead of sleeping");
  }
}
