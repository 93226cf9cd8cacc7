// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.meshtransport.spi.TransportException.Reason;
import io.meshtransport.testing.AllocationCounter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Contract: {@link MultiReceive}s, which several messages fill one after another. */
abstract class MultiReceiveChapter extends ContractChapter {
  private static final int BYTES = 1 << 16;
  private static final int LONGEST = 1_000;
  private static final int TAG = 5;
  private static final int PASS = 2_000;
  private static final int MAX_PASSES = 40;
  private static final long FOREVER = Connection.NO_DEADLINE;

  private ConnectionPair pair;
  private ChannelEnds forth;

  @Override
  boolean needsConnections() {
    return true;
  }

  @BeforeEach
  void connect() throws TransportException {
    pair = ConnectionPair.between(left, right);
    forth = pair.forth(BYTES);
  }

  private MultiReceive multi(int lengthBytes, int longestBytes, int messages) {
    return new MultiReceive(forth.sink(), 0, lengthBytes, longestBytes, messages, TAG);
  }

  private Pending post(MultiReceive receive) {
    return new Pending(pair.accepted(), pair.accepted().irecv(receive, FOREVER, 0));
  }

  /** Sends messages of these lengths, each filled from its own seed, and waits for their ends. */
  private void sendAll(int... lengthsBytes) {
    for (int i = 0; i < lengthsBytes.length; i++) {
      Bytes.fill(forth.sourceBytes(), 0, lengthsBytes[i], i);
      Pending send = forth.send(0, lengthsBytes[i], TAG);
      assertEquals(lengthsBytes[i], send.finish().lengthBytes());
    }
  }

  /** Checks that messages of these lengths lie in the sink, and where. */
  private void checkAll(int... lengthsBytes) {
    long at = 0;
    for (int i = 0; i < lengthsBytes.length; i++) {
      Bytes.check(forth.sinkBytes(), (int) at, lengthsBytes[i], i);
      at = MultiReceive.next(at, lengthsBytes[i]);
    }
  }

  /** Waits until a multi-receive has had so many messages. */
  private long[] awaitMessages(Pending receive, int messages, int limit) {
    long[] lengths = new long[limit];
    long begin = System.nanoTime();
    while (pair.accepted().receivedSoFar(receive.request(), lengths) < messages) {
      pair.opened().awaitProgress(-1, Duration.ZERO);
      assertTrue(System.nanoTime() - begin < PATIENCE.toNanos(), "too few messages");
    }
    assertEquals(messages, pair.accepted().receivedSoFar(receive.request(), lengths));
    return lengths;
  }

  @Test
  void shouldBeFilledByAsManyMessagesAsItMayHave() throws TransportException {
    int[] lengths = {100, 0, 1, 8, LONGEST, 7};
    Pending receive = post(multi(BYTES, LONGEST, lengths.length));
    sendAll(lengths);
    long[] sizes = new long[lengths.length];
    eventually().until(() -> pair.accepted().test(receive.request(), sizes) == 1_116);
    assertArrayEquals(new long[] {100, 0, 1, 8, LONGEST, 7}, sizes);
    checkAll(lengths);
    pair.assertAlive();
  }

  @Test
  void shouldEndWhenTheLongestMessageHasNoSpace() throws TransportException {
    Pending first = post(multi(2 * LONGEST + 104, LONGEST, 100));
    MultiReceive other = new MultiReceive(forth.sink(), BYTES / 2, 2 * LONGEST, LONGEST, 100, TAG);
    Pending second = post(other);
    // After these there are 1,000 bytes left, just enough for the longest; then less.
    sendAll(LONGEST, 99, 3, 9);
    assertEquals(LONGEST + 99 + 3, first.finish().lengthBytes());
    checkAll(LONGEST, 99, 3);
    Bytes.check(forth.sinkBytes(), BYTES / 2, 9, 3);
    assertEquals(1, awaitMessages(second, 1, 100).length / 100);
    pair.accepted().withdraw(second.request());
    assertEquals(Reason.WITHDRAWN, second.finish().reason());
    pair.assertAlive();
  }

  @Test
  void shouldTakeMessagesThatWaitedInOrder() throws TransportException {
    int each = 20;
    List<Pending> requests = new ArrayList<>();
    for (int i = 0; i < each; i++) {
      Bytes.fill(forth.sourceBytes(), 64 * i, 64, i);
      requests.add(forth.send(64L * i, 64, TAG));
      requests.add(forth.send(64L * i, 64, TAG + 1));
    }
    requests.add(post(multi(BYTES / 2, 64, each)));
    for (int i = 0; i < each; i++) {
      requests.add(forth.receive(BYTES / 2 + 64L * i, 64, TAG + 1));
    }
    Pending.finish(requests.toArray(Pending[]::new)).forEach(Pending.Outcome::lengthBytes);
    for (int i = 0; i < each; i++) {
      Bytes.check(forth.sinkBytes(), 64 * i, 64, i);
      Bytes.check(forth.sinkBytes(), BYTES / 2 + 64 * i, 64, i);
    }
  }

  @Test
  void shouldCountAndReadMessagesBeforeItsEnd() throws TransportException {
    Pending receive = post(multi(BYTES, LONGEST, 10));
    sendAll(10, 20, 30);
    long[] lengths = awaitMessages(receive, 3, 10);
    assertEquals(10, lengths[0]);
    assertEquals(20, lengths[1]);
    assertEquals(30, lengths[2]);
    checkAll(10, 20, 30);
    assertThrows(
        IllegalArgumentException.class,
        () -> pair.accepted().receivedSoFar(receive.request(), new long[9]));
    assertThrows(
        IllegalArgumentException.class, () -> pair.accepted().test(receive.request(), new long[9]));
  }

  @Test
  void shouldFailBothEndsForAMessageThatIsTooLong() throws TransportException {
    Pending receive = post(multi(BYTES, LONGEST, 10));
    sendAll(10);
    Pending send = forth.send(0, LONGEST + 1, TAG);
    List<Pending.Outcome> ends = Pending.finish(receive, send);
    assertEquals(Reason.MESSAGE_TOO_LONG, ends.get(0).reason());
    assertEquals(Reason.MESSAGE_TOO_LONG, ends.get(1).reason());
    pair.assertAlive();
  }

  @Test
  void shouldTakeGatheredMessages() throws TransportException {
    Pending receive = post(multi(BYTES, LONGEST, 2));
    Bytes.fill(forth.sourceBytes(), 0, 300, 0);
    GatherList list = new GatherList();
    list.add(forth.source(), 0, 100).add(forth.source(), 100, 200);
    Pending gathered = new Pending(pair.opened(), pair.opened().isend(list, TAG, FOREVER));
    Pending plain = forth.send(0, 300, TAG);
    Pending.finish(gathered, plain, receive).forEach(Pending.Outcome::lengthBytes);
    Bytes.check(forth.sinkBytes(), 0, 300, 0);
    Bytes.check(forth.sinkBytes(), 304, 300, 0);
  }

  @Test
  void shouldEndByItsDeadlineWithWhatHasCome() throws TransportException {
    long request =
        pair.accepted().irecv(multi(BYTES, LONGEST, 10), Duration.ofMillis(50).toNanos(), 0);
    Pending receive = new Pending(pair.accepted(), request);
    sendAll(10);
    assertEquals(Reason.TIMED_OUT, receive.finish().reason());
    checkAll(10);
    pair.assertAlive();
  }

  @Test
  void shouldLoseNoMessageToAWithdrawal() throws TransportException {
    Random random = new Random(1);
    for (int round = 0; round < 40; round++) {
      Pending receive = post(multi(BYTES, 64, 16));
      List<Pending> sends = new ArrayList<>();
      int before = random.nextInt(10);
      for (int i = 0; i < before; i++) {
        sends.add(forth.send(0, 64, TAG));
      }
      pair.accepted().withdraw(receive.request());
      for (int i = before; i < 10; i++) {
        sends.add(forth.send(0, 64, TAG));
      }
      long[] lengths = new long[16];
      long begin = System.nanoTime();
      int came = 0;
      while (pair.accepted().test(receive.request()) == Channel.PENDING) {
        came = pair.accepted().receivedSoFar(receive.request(), lengths);
        pair.opened().awaitProgress(-1, Duration.ZERO);
        assertTrue(System.nanoTime() - begin < PATIENCE.toNanos(), "never withdrawn");
      }
      // The rest goes into the next one, whatever came into the first.
      int least = came;
      Pending next = post(multi(BYTES, 64, 16));
      eventually()
          .until(
              () -> {
                pair.opened().awaitProgress(-1, Duration.ZERO);
                return pair.accepted().receivedSoFar(next.request(), lengths) <= 10 - least
                    && pair.opened().sendsNeedingProgress() == 0;
              });
      Pending.finish(sends.toArray(Pending[]::new)).forEach(Pending.Outcome::lengthBytes);
      pair.accepted().withdraw(next.request());
      assertEquals(Reason.WITHDRAWN, next.finish().reason());
    }
    pair.assertAlive();
  }

  @Test
  void shouldRefuseWhatItCannotHave() throws TransportException {
    assertThrows(IllegalArgumentException.class, () -> multi(BYTES, BYTES + 1, 1));
    assertThrows(IllegalArgumentException.class, () -> multi(BYTES, -1, 1));
    assertThrows(IllegalArgumentException.class, () -> multi(-1, -1, 1));
    assertThrows(IllegalArgumentException.class, () -> multi(BYTES, 1, 0));
    assertThrows(
        IllegalArgumentException.class, () -> multi(BYTES, 1, MultiReceive.MAX_MESSAGES + 1));
    MultiReceive outside = new MultiReceive(forth.sink(), 1, BYTES, 1, 1, TAG);
    assertThrows(IllegalArgumentException.class, () -> pair.accepted().irecv(outside, FOREVER, 0));
    MultiReceive foreign = new MultiReceive(forth.source(), 0, BYTES, 1, 1, TAG);
    assertThrows(IllegalArgumentException.class, () -> pair.accepted().irecv(foreign, FOREVER, 0));
    pair.assertAlive();
  }

  @Test
  void shouldBeReportedByAPoller() throws TransportException {
    assumeTrue(contract().hasPollers(), "it has no pollers yet");
    Poller poller = right.newPoller();
    poller.add(pair.accepted());
    MultiReceive receive = new MultiReceive(forth.sink(), 64, 4_000, LONGEST, 3, TAG);
    long request = pair.accepted().irecv(receive, FOREVER, 77);
    List<Pending> sends = new ArrayList<>();
    for (int length : new int[] {100, 0, 13}) {
      sends.add(forth.send(0, length, TAG));
    }
    Completions table = new Completions(1);
    long[] offsets = {64, 168, 168, 0};
    long[] lengths = {100, 0, 13, 113};
    for (int i = 0; i < 4; i++) {
      long begin = System.nanoTime();
      while (poller.await(table, Duration.ofMillis(1)) == 0) {
        pair.opened().awaitProgress(-1, Duration.ZERO);
        assertTrue(System.nanoTime() - begin < PATIENCE.toNanos(), "nothing reported");
      }
      assertEquals(i < 3 ? CompletionKind.MESSAGE : CompletionKind.RECEIVED, table.kind(0));
      assertEquals(77, table.userData(0));
      assertEquals(request, table.request(0));
      assertEquals(offsets[i], table.offsetBytes(0));
      assertEquals(lengths[i], table.lengthBytes(0));
    }
    PolledPair.assertNothingMore(poller);
    Pending.finish(sends.toArray(Pending[]::new));
  }

  @Test
  void shouldReportEveryMessageBeforeAWithdrawnEnd() throws TransportException {
    assumeTrue(contract().hasPollers(), "it has no pollers yet");
    Poller poller = right.newPoller();
    poller.add(pair.accepted());
    long request = pair.accepted().irecv(multi(BYTES, LONGEST, 100), FOREVER, 1);
    Pending.finish(forth.send(0, 10, TAG), forth.send(0, 11, TAG));
    pair.accepted().withdraw(request);
    List<PolledPair.Entry> entries = PolledPair.collect(poller, 3, pair.opened());
    assertEquals(CompletionKind.MESSAGE, entries.get(0).kind());
    assertEquals(CompletionKind.MESSAGE, entries.get(1).kind());
    assertEquals(CompletionKind.WITHDRAWN, entries.get(2).kind());
    assertEquals(request, entries.get(2).request());
  }

  @Test
  void shouldBeBusyWhenTooManyMessagesAreAwaited() throws TransportException {
    ConnectionPair small =
        ConnectionPair.between(
            left, ConnectOptions.DEFAULT.requests(4), right, ConnectOptions.DEFAULT);
    RegisteredMemory sink = small.forth(BYTES).sink();
    MultiReceive most = new MultiReceive(sink, 0, BYTES, 8, 32, TAG);
    MultiReceive tooMany = new MultiReceive(sink, 0, BYTES, 8, 33, TAG);
    assertThrows(IllegalArgumentException.class, () -> small.accepted().irecv(tooMany, FOREVER, 0));
    long first = small.accepted().irecv(most, FOREVER, 0);
    assumeTrue(
        small.accepted().irecv(sink, 0, 8, TAG) == Channel.BUSY, "it has space for more receives");
    small.accepted().withdraw(first);
    assertEquals(Reason.WITHDRAWN, new Pending(small.accepted(), first).finish().reason());
    small.assertAlive();
  }

  @Test
  @Tag("slow")
  void shouldAllocateNothingOnceWarm() throws TransportException {
    assumeTrue(contract().hasPollers(), "it has no pollers yet");
    Poller near = left.newPoller();
    Poller far = right.newPoller();
    near.add(pair.opened());
    far.add(pair.accepted());
    Completions sent = new Completions(8);
    Completions came = new Completions(8);
    MultiReceive receive = multi(BYTES, 64, 100);
    pair.accepted().irecv(receive, FOREVER, 0);
    RegisteredMemory from = forth.source();
    AllocationCounter.ofThisThread()
        .expectFewerBytes(
            PASS,
            MAX_PASSES,
            () -> {
              for (int i = 0; i < contract().repetitions(PASS); i++) {
                assertTrue(pair.opened().isend(from, 0, 64, TAG, FOREVER, i) >= 0);
                int open = 2;
                while (open > 0) {
                  open -= near.poll(sent);
                  int count = far.await(came, 1_000);
                  for (int entry = 0; entry < count; entry++) {
                    if (came.kind(entry) == CompletionKind.MESSAGE) {
                      open--;
                    } else {
                      assertTrue(pair.accepted().irecv(receive, FOREVER, 0) >= 0);
                    }
                  }
                }
              }
            });
  }
}
