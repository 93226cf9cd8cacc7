// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.meshtransport.spi.PolledPair.Entry;
import io.meshtransport.spi.TransportException.Reason;
import io.meshtransport.testing.AllocationCounter;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Contract: puts of which the peer gets a notice. */
abstract class NoticeChapter extends ContractChapter {
  private static final int BYTES = 1 << 20;
  private static final Duration SOON = Duration.ofMillis(20);

  /** Puts of one pass, each of which must leave nothing to the collector. */
  private static final int PASS = 2_000;

  private static final int MAX_PASSES = 40;

  private ConnectionPair pair;
  private RegisteredMemory source;
  private RegisteredMemory target;
  private ByteBuffer sourceBytes;
  private ByteBuffer targetBytes;
  private RemoteMemory remote;
  private final TransferList list = new TransferList();
  private final Completions table = new Completions(8);

  @Override
  boolean needsConnections() {
    return true;
  }

  @BeforeEach
  void connect() throws TransportException {
    pair = ConnectionPair.between(left, right);
    sourceBytes = ByteBuffer.allocateDirect(BYTES);
    targetBytes = ByteBuffer.allocateDirect(BYTES);
    source = left.register(sourceBytes);
    target = right.register(List.of(targetBytes), EnumSet.allOf(RemoteAccess.class));
    remote = left.remoteMemory(target.remoteKey());
  }

  private Pending put(long lengthBytes, int notice) {
    return put(lengthBytes, notice, Connection.NO_DEADLINE);
  }

  private Pending put(long lengthBytes, int notice, long timeoutNs) {
    list.clear().add(source, 0, lengthBytes, remote, 0);
    return new Pending(pair.opened(), pair.opened().iput(list, notice, timeoutNs, 0));
  }

  private void expectNotice(int notice, long lengthBytes) {
    assertEquals(1, pair.accepted().awaitNotices(table, PATIENCE));
    assertNotice(0, notice, lengthBytes);
  }

  private void assertNotice(int index, int notice, long lengthBytes) {
    assertEquals(CompletionKind.NOTICE, table.kind(index));
    assertEquals(notice, table.notice(index));
    assertEquals(Integer.toUnsignedLong(notice), table.userData(index));
    assertEquals(lengthBytes, table.lengthBytes(index));
    assertEquals(-1, table.request(index));
    assertSame(pair.accepted(), table.connection(index));
    assertNull(table.failure(index));
  }

  @Test
  void shouldGiveNoticeOfAPutOnceItsBytesAreThere() throws TransportException {
    int[] notices = {0, -1, Integer.MIN_VALUE, Integer.MAX_VALUE, 42};
    int[] lengths = {8, BYTES, 4096, 9, BYTES - 1};
    for (int i = 0; i < notices.length; i++) {
      sourceBytes.putInt(0, i + 1).putInt(lengths[i] - 4, i + 1);
      Pending put = put(lengths[i], notices[i]);
      expectNotice(notices[i], lengths[i]);
      assertEquals(i + 1, targetBytes.getInt(lengths[i] - 4));
      assertEquals(lengths[i], put.finish().lengthBytes());
    }
    assertEquals(0, pair.accepted().pollNotices(table));
  }

  @Test
  void shouldGiveNoticeOfAListAndOfNothing() throws TransportException {
    for (int i = 0; i < 100; i++) {
      sourceBytes.put(i * 3, (byte) (i + 1));
    }
    list.clear();
    for (int i = 0; i < 100; i++) {
      list.add(source, i * 3, 1, remote, i * 5);
    }
    long request = pair.opened().iput(list, 7, Connection.NO_DEADLINE, 0);
    Pending many = new Pending(pair.opened(), request);
    expectNotice(7, 100);
    assertEquals(100, many.finish().lengthBytes());
    for (int i = 0; i < 100; i++) {
      assertEquals(i + 1, targetBytes.get(i * 5));
    }

    request = pair.opened().iput(list.clear(), 8, Connection.NO_DEADLINE, 0);
    Pending none = new Pending(pair.opened(), request);
    expectNotice(8, 0);
    assertEquals(0, none.finish().lengthBytes());
  }

  @Test
  void shouldKeepTheOrderOfPutsAndMessages() throws TransportException {
    ChannelEnds forth = pair.forth(64);
    for (int round = 0; round < 10; round++) {
      Pending receive = forth.receive(0, 64, 1);
      Pending put = put(64, round);
      Pending send = forth.send(0, 10, 1);
      assertEquals(10, receive.finish().lengthBytes());
      assertEquals(1, pair.accepted().pollNotices(table), "the put was begun before the message");
      assertNotice(0, round, 64);
      Pending.finish(put, send);
    }
  }

  @Test
  void shouldGiveNoticeInBothDirectionsAtOnce() throws TransportException {
    RegisteredMemory there =
        left.register(List.of(ByteBuffer.allocateDirect(64)), EnumSet.of(RemoteAccess.PUT));
    RemoteMemory back = right.remoteMemory(there.remoteKey());
    Completions near = new Completions(1);
    for (int i = 0; i < 200; i++) {
      Pending forth = put(64, i);
      list.clear().add(target, 0, 32, back, 0);
      long request = pair.accepted().iput(list, -i, Connection.NO_DEADLINE, 0);
      Pending answer = new Pending(pair.accepted(), request);
      expectNotice(i, 64);
      assertEquals(1, pair.opened().awaitNotices(near, PATIENCE));
      assertEquals(-i, near.notice(0));
      Pending.finish(forth, answer);
    }
  }

  @Test
  void shouldHoldBackPutsOfAPeerThatDoesNotPollAndKeepTheirOrder() throws TransportException {
    List<Pending> puts = new ArrayList<>();
    for (int i = 0; i < Connection.MAX_NOTICES; i++) {
      puts.add(put(8, i));
    }
    Pending.finish(puts.toArray(Pending[]::new));
    // Its notices fill the space there is.
    Pending waiting = put(8, Connection.MAX_NOTICES);
    list.clear().add(source, 0, 16, remote, 0);
    Pending plain = new Pending(pair.opened(), pair.opened().iput(list, Connection.NO_DEADLINE));
    ChannelEnds forth = pair.forth(64);
    Pending receive = forth.receive(0, 64, 1);
    Pending send = forth.send(0, 10, 1);
    pair.accepted().awaitProgress(-1, SOON);
    assertEquals(Channel.PENDING, pair.opened().test(waiting.request()));
    assertEquals(Channel.PENDING, pair.opened().test(plain.request()));
    assertEquals(Channel.PENDING, pair.accepted().test(receive.request()));

    int next = 0;
    while (next <= Connection.MAX_NOTICES) {
      int count = pair.accepted().awaitNotices(table, SLICE);
      for (int i = 0; i < count; i++) {
        assertNotice(i, next++, 8);
      }
      pair.opened().awaitProgress(-1, Duration.ZERO);
    }
    Pending.finish(waiting, plain, send, receive);
    assertEquals(0, pair.accepted().pollNotices(table));
  }

  @Test
  void shouldSayThatALatePutHasTimedOut() throws TransportException {
    List<Pending> puts = new ArrayList<>();
    for (int i = 0; i < Connection.MAX_NOTICES; i++) {
      puts.add(put(8, i));
    }
    Pending.finish(puts.toArray(Pending[]::new));
    Pending late = put(8, -1, SOON.toNanos());
    assertEquals(Reason.TIMED_OUT, late.finish().reason());
    pair.assertAlive();
    int polled = 0;
    while (polled < Connection.MAX_NOTICES) {
      polled += pair.accepted().awaitNotices(table, PATIENCE);
    }
    Pending put = put(8, 1);
    expectNotice(1, 8);
    put.finish();
  }

  @Test
  void shouldKeepNoticesThatCameBeforeTheEnd() throws TransportException {
    Pending first = put(8, 1);
    Pending second = put(8, 2);
    Pending.finish(first, second);
    pair.opened().close();
    eventually()
        .until(
            () -> {
              pair.accepted().awaitProgress(-1, Duration.ZERO);
              return pair.accepted().state() == ChannelState.FAILED;
            });
    assertEquals(2, pair.accepted().pollNotices(table));
    assertNotice(0, 1, 8);
    assertNotice(1, 2, 8);
    assertEquals(0, pair.accepted().awaitNotices(table, PATIENCE), "there will be no more");
    assertEquals(Channel.FAILED, pair.opened().iput(list, 3, Connection.NO_DEADLINE, 0));
  }

  @Test
  void shouldGiveNoNoticeOfWhatFails() throws TransportException {
    RegisteredMemory own =
        left.register(List.of(ByteBuffer.allocateDirect(64)), EnumSet.of(RemoteAccess.PUT));
    list.clear().add(source, 0, 8, left.remoteMemory(own.remoteKey()), 0);
    long request = pair.opened().iput(list, 1, Connection.NO_DEADLINE, 0);
    assertEquals(Reason.REMOTE_ACCESS, new Pending(pair.opened(), request).finish().reason());
    list.clear().add(source, 0, BYTES + 1, remote, 0);
    assertThrows(
        IllegalArgumentException.class,
        () -> pair.opened().iput(list, 1, Connection.NO_DEADLINE, 0));
    Pending put = put(8, 2);
    expectNotice(2, 8);
    put.finish();
  }

  @Test
  void shouldReportNoticesAtAPollerAndOnlyThere() throws TransportException {
    assumePollers();
    Pending early = put(8, 1);
    early.finish();
    Poller poller = right.newPoller();
    poller.add(pair.accepted());
    Pending late = put(8, 2);
    List<Entry> entries = PolledPair.collect(poller, 2, pair.opened());
    late.finish();
    for (int i = 0; i < 2; i++) {
      Entry entry = entries.get(i);
      assertEquals(CompletionKind.NOTICE, entry.kind());
      assertEquals(i + 1, entry.userData());
      assertEquals(8, entry.lengthBytes());
      assertEquals(-1, entry.request());
      assertSame(pair.accepted(), entry.connection());
    }
    assertThrows(IllegalStateException.class, () -> pair.accepted().pollNotices(table));
    PolledPair.assertNothingMore(poller);
    pair.opened().close();
    assertEquals(CompletionKind.CLOSED, PolledPair.collect(poller, 1).get(0).kind());
  }

  @Test
  @Tag("slow")
  void shouldAllocateNothingOnceWarm() throws TransportException {
    assumePollers();
    Poller near = left.newPoller();
    Poller far = right.newPoller();
    near.add(pair.opened());
    far.add(pair.accepted());
    Completions other = new Completions(8);
    AllocationCounter.ofThisThread()
        .expectFewerBytes(
            PASS,
            MAX_PASSES,
            () -> {
              for (int i = 0; i < contract().repetitions(PASS); i++) {
                list.clear().add(source, 0, 64, remote, 0);
                assertTrue(pair.opened().iput(list, i, Connection.NO_DEADLINE, i) >= 0);
                int open = 2;
                while (open > 0) {
                  open -= near.poll(table);
                  open -= far.await(other, 1_000);
                }
              }
            });
  }

  private void assumePollers() {
    assumeTrue(contract().hasPollers(), "it has no pollers yet");
  }
}
