// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.meshtransport.spi.PolledPair.Entry;
import io.meshtransport.spi.TransportException.Reason;
import io.meshtransport.testing.AllocationCounter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Contract: messages that are reported because there is no receive for them. */
abstract class UnexpectedChapter extends ContractChapter {
  private static final int BYTES = 1 << 16;
  private static final Duration SOON = Duration.ofMillis(20);
  private static final Duration GIVES_UP = Duration.ofSeconds(1);
  private static final ConnectOptions REPORTING = ConnectOptions.DEFAULT.reportUnexpected();

  /** Messages of one pass, each of which must leave nothing to the collector. */
  private static final int PASS = 2_000;

  private static final int MAX_PASSES = 40;

  private ConnectionPair pair;
  private ChannelEnds forth;
  private ChannelEnds back;
  private final Completions table = new Completions(32);

  @Override
  boolean needsConnections() {
    return true;
  }

  @BeforeEach
  void connect() throws TransportException {
    pair = ConnectionPair.between(left, ConnectOptions.DEFAULT, right, REPORTING);
    forth = pair.forth(BYTES);
    back = pair.back(BYTES);
  }

  /** Waits for so many reports at the accepted end. */
  private List<Entry> reports(int count) {
    List<Entry> all = new ArrayList<>();
    while (all.size() < count) {
      assertTrue(pair.accepted().awaitNotices(table, PATIENCE) > 0, all::toString);
      all.addAll(PolledPair.entries(table));
      pair.opened().awaitProgress(-1, Duration.ZERO);
    }
    assertEquals(count, all.size());
    return all;
  }

  private void assertReport(Entry entry, int tag, long lengthBytes) {
    assertEquals(CompletionKind.UNEXPECTED, entry.kind());
    assertEquals(Integer.toUnsignedLong(tag), entry.userData());
    assertEquals(lengthBytes, entry.lengthBytes());
    assertEquals(-1, entry.request());
    assertSame(pair.accepted(), entry.connection());
    assertNull(entry.failure());
  }

  private void assertNoReport() {
    pair.accepted().awaitProgress(-1, SOON);
    pair.opened().awaitProgress(-1, Duration.ZERO);
    assertEquals(0, pair.accepted().pollNotices(table));
  }

  @Test
  void shouldReportTagAndLengthOfAMessageThatWaits() throws TransportException {
    int[] tags = {0, -1, Integer.MIN_VALUE, Integer.MAX_VALUE, 42};
    int[] lengths = {0, 1, 17, 4096, BYTES};
    for (int i = 0; i < tags.length; i++) {
      Pending send = forth.send(0, lengths[i], tags[i]);
      Entry report = reports(1).get(0);
      assertReport(report, tags[i], lengths[i]);
      assertEquals(tags[i], table.tag(0));
      Pending receive = forth.receive(0, report.lengthBytes(), tags[i]);
      assertEquals(lengths[i], receive.finish().lengthBytes());
      assertEquals(lengths[i], send.finish().lengthBytes());
    }
    assertNoReport();
  }

  @Test
  void shouldReportEachOfManyOnceAndInOrder() throws TransportException {
    int count = Transport.MAX_REQUESTS;
    List<Pending> sends = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      sends.add(forth.send(0, i, i % 3));
    }
    List<Entry> reports = reports(count);
    for (int i = 0; i < count; i++) {
      assertReport(reports.get(i), i % 3, i);
    }
    for (int i = count - 1; i >= 0; i--) {
      // Messages of one tag keep their order.
      Pending receive = forth.receive(0, BYTES, i % 3);
      sends.add(receive);
    }
    Pending.finish(sends.toArray(Pending[]::new));
    assertNoReport();
  }

  @Test
  void shouldReportNothingThatHasAReceive() throws TransportException {
    for (int round = 0; round < 20; round++) {
      // Half of the receives are still on their way to the sender when it begins.
      Pending first = forth.receive(0, 64, 1);
      Pending second = forth.receive(64, 64, 1);
      Pending send = forth.send(0, 10, 1);
      Pending other = forth.send(0, 11, 1);
      assertEquals(10, first.finish().lengthBytes());
      assertEquals(11, second.finish().lengthBytes());
      Pending.finish(send, other);
    }
    assertNoReport();
  }

  @Test
  void shouldReportNothingToAnEndThatDoesNotWantIt() throws TransportException {
    Pending send = back.send(0, 10, 1);
    pair.opened().awaitProgress(-1, SOON);
    assertEquals(0, pair.opened().pollNotices(table));
    assertEquals(10, back.receive(0, 64, 1).finish().lengthBytes());
    send.finish();
  }

  @Test
  void shouldReportWhatWaitedBeforeTheReportsBegan() throws TransportException {
    // Whichever end connects, the first messages may be begun before the other end is there.
    ConnectionPair other = ConnectionPair.between(left, REPORTING, right, ConnectOptions.DEFAULT);
    ChannelEnds toOpened = other.back(64);
    Pending send = toOpened.send(0, 10, 5);
    long begin = System.nanoTime();
    while (other.opened().awaitNotices(table, SLICE) == 0) {
      other.accepted().awaitProgress(-1, Duration.ZERO);
      assertTrue(System.nanoTime() - begin < PATIENCE.toNanos(), "no report");
    }
    assertEquals(5, table.tag(0));
    assertEquals(10, table.lengthBytes(0));
    assertEquals(10, toOpened.receive(0, 10, 5).finish().lengthBytes());
    send.finish();
  }

  @Test
  void shouldGoOnWhereTheSenderGaveUp() throws TransportException {
    // Long enough that the message is announced before, also by an emulated device.
    long request = pair.opened().isend(forth.source(), 0, 100, 1, GIVES_UP.toNanos(), 0);
    assertReport(reports(1).get(0), 1, 100);
    assertEquals(Reason.TIMED_OUT, new Pending(pair.opened(), request).finish().reason());
    Pending receive = forth.receive(0, 200, 1);
    // From then on the sender knows of the receive: what it begins before may be reported.
    pair.assertAlive();
    Pending send = forth.send(0, 150, 1);
    assertEquals(150, receive.finish().lengthBytes());
    send.finish();
    assertNoReport();
  }

  @Test
  void shouldWithdrawAReceiveThatWasPostedOnReport() throws TransportException {
    Pending send = forth.send(0, 100, 1);
    assertReport(reports(1).get(0), 1, 100);
    Pending receive = forth.receive(0, 100, 2);
    pair.accepted().withdraw(receive.request());
    assertEquals(Reason.WITHDRAWN, receive.finish().reason());
    assertEquals(100, forth.receive(0, 100, 1).finish().lengthBytes());
    send.finish();
  }

  @Test
  void shouldKeepReportsThatCameBeforeTheEnd() throws TransportException {
    forth.send(0, 100, 1);
    forth.send(0, 101, 2);
    // The reports come before the answer to what was begun after them.
    pair.assertAlive();
    pair.opened().close();
    eventually()
        .until(
            () -> {
              pair.accepted().awaitProgress(-1, Duration.ZERO);
              return pair.accepted().state() == ChannelState.FAILED;
            });
    List<Entry> reports = reports(2);
    assertReport(reports.get(0), 1, 100);
    assertReport(reports.get(1), 2, 101);
    assertEquals(0, pair.accepted().awaitNotices(table, PATIENCE), "there will be no more");
  }

  @Test
  void shouldReportAtAPoller() throws TransportException {
    assumeTrue(contract().hasPollers(), "it has no pollers yet");
    Pending early = forth.send(0, 10, 1);
    assertReport(reports(1).get(0), 1, 10);
    assertEquals(10, forth.receive(0, 10, 1).finish().lengthBytes());
    early.finish();
    Poller poller = right.newPoller();
    poller.add(pair.accepted());
    Pending late = forth.send(0, 20, 2);
    assertReport(PolledPair.collect(poller, 1, pair.opened()).get(0), 2, 20);
    pair.accepted().irecv(forth.sink(), 0, 20, 2, Connection.NO_DEADLINE, 7);
    Entry received = PolledPair.collect(poller, 1, pair.opened()).get(0);
    assertEquals(CompletionKind.RECEIVED, received.kind());
    assertEquals(20, received.lengthBytes());
    late.finish();
    PolledPair.assertNothingMore(poller);
  }

  @Test
  @Tag("slow")
  void shouldAllocateNothingOnceWarm() throws TransportException {
    assumeTrue(contract().hasPollers(), "it has no pollers yet");
    Poller near = left.newPoller();
    Poller far = right.newPoller();
    near.add(pair.opened());
    far.add(pair.accepted());
    Completions other = new Completions(8);
    RegisteredMemory from = forth.source();
    RegisteredMemory to = forth.sink();
    AllocationCounter.ofThisThread()
        .expectFewerBytes(
            PASS,
            MAX_PASSES,
            () -> {
              for (int i = 0; i < contract().repetitions(PASS); i++) {
                assertTrue(pair.opened().isend(from, 0, 64, i, Connection.NO_DEADLINE, i) >= 0);
                int open = 2;
                while (open > 0) {
                  open -= near.poll(table);
                  if (far.await(other, 1_000) == 1) {
                    if (other.kind(0) == CompletionKind.UNEXPECTED) {
                      pair.accepted()
                          .irecv(
                              to, 0, other.lengthBytes(0), other.tag(0), Connection.NO_DEADLINE, i);
                    } else {
                      open--;
                    }
                  }
                }
              }
            });
    assertFalse(other.isFull());
  }
}
