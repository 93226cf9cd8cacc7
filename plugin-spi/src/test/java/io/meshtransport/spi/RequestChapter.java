// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.spi.TransportException.Reason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Contract: requests are numbered, counted, tested and then over. */
abstract class RequestChapter extends ContractChapter {
  private static final int MAX = Transport.MAX_REQUESTS;

  @Test
  void shouldAcceptSixtyFourSendsAndBeBusyUntilOneIsTested() throws TransportException {
    ChannelEnds ends = channel(64 * MAX);
    List<Pending> sends = new ArrayList<>();
    for (int i = 0; i < MAX; i++) {
      sends.add(ends.send(64L * i, 64, i));
    }
    for (int i = 0; i < 100; i++) {
      assertEquals(Channel.BUSY, ends.out().isend(ends.source(), 0, 64, 1));
    }
    // One that is in the middle, so that the free place is not the one at either end.
    Pending first = sends.remove(MAX / 2);
    Pending.finish(ends.receive(0, 64, MAX / 2), first).forEach(Pending.Outcome::lengthBytes);

    sends.add(ends.send(0, 64, MAX / 2));
    assertEquals(Channel.BUSY, ends.out().isend(ends.source(), 0, 64, 1));
    for (int tag = 0; tag < MAX; tag++) {
      sends.add(ends.receive(64L * tag, 64, tag));
    }
    Pending.finish(sends.toArray(Pending[]::new)).forEach(Pending.Outcome::lengthBytes);
    ends.assertAlive();
  }

  @Test
  void shouldAcceptSixtyFourReceivesAndBeBusyUntilOneIsTested() throws TransportException {
    ChannelEnds ends = channel(64 * MAX);
    List<Pending> requests = new ArrayList<>();
    for (int i = 0; i < MAX; i++) {
      requests.add(ends.receive(64L * i, 64, i));
    }
    for (int i = 0; i < 100; i++) {
      assertEquals(Channel.BUSY, ends.in().irecv(ends.sink(), 0, 64, 1));
    }
    Pending first = requests.remove(MAX / 2);
    Pending.finish(first, ends.send(0, 64, MAX / 2)).forEach(Pending.Outcome::lengthBytes);

    requests.add(ends.receive(0, 64, MAX / 2));
    assertEquals(Channel.BUSY, ends.in().irecv(ends.sink(), 0, 64, 1));
    for (int tag = 0; tag < MAX; tag++) {
      requests.add(ends.send(64L * tag, 64, tag));
    }
    Pending.finish(requests.toArray(Pending[]::new)).forEach(Pending.Outcome::lengthBytes);
    ends.assertAlive();
  }

  @Test
  void shouldGiveEachCallerAFailureOfItsOwn() throws Exception {
    ChannelEnds ends = channel(64);
    Pending receive = ends.receive(0, 64, 1);
    ends.out().close();
    assertEquals(Reason.PEER_CLOSED, receive.finish().reason());
    TransportException first = ends.in().failure();
    TransportException second = ends.in().failure();
    assertNotSame(first, second);
    first.addSuppressed(new IllegalStateException("met while the first was thrown"));
    assertEquals(0, second.getSuppressed().length);
    assertEquals(first.reason(), second.reason());
    assertEquals(first.getMessage(), second.getMessage());
    assertEquals(
        "shouldGiveEachCallerAFailureOfItsOwn",
        Arrays.stream(first.getStackTrace())
            .map(StackTraceElement::getMethodName)
            .filter(name -> name.startsWith("should"))
            .findFirst()
            .orElse("another thread's"));

    Listener listener = right.listen();
    ChannelFuture<ReceiveChannel> accepting = listener.accept();
    listener.close();
    TransportException one = assertFails(Reason.CLOSED, () -> accepting.await(PATIENCE));
    assertNotSame(one, assertFails(Reason.CLOSED, () -> accepting.await(PATIENCE)));
  }

  @Test
  void shouldSayWhatItIsInALog() throws TransportException {
    ChannelEnds ends = channel(64);
    Pending receive = ends.receive(0, 64, 1);
    for (Channel end : List.of(ends.out(), ends.in())) {
      String text = end.toString();
      assertTrue(text.contains(end.route().toString()), text);
      assertTrue(text.contains(end.state().name()), text);
      assertFalse(text.contains("@"), text);
    }
    assertTrue(ends.in().toString().contains("1 request"), ends.in().toString());
    assertTrue(ends.source().toString().contains("64 bytes"), ends.source().toString());
    ends.out().close();
    assertEquals(Reason.PEER_CLOSED, receive.finish().reason());
    assertTrue(ends.out().toString().contains("CLOSED"), ends.out().toString());
  }

  @Test
  void shouldCountARequestUntilItIsTestedEvenWhenItsMessageHasArrived() throws TransportException {
    ChannelEnds ends = channel(64);
    List<Pending> receives = new ArrayList<>();
    List<Pending> sends = new ArrayList<>();
    for (int i = 0; i < MAX; i++) {
      receives.add(ends.receive(0, 64, 1));
      sends.add(ends.send(0, 64, 1));
    }
    Pending.finish(sends.toArray(Pending[]::new)).forEach(Pending.Outcome::lengthBytes);
    assertEquals(Channel.BUSY, ends.in().irecv(ends.sink(), 0, 64, 1));
    Pending.finish(receives.toArray(Pending[]::new)).forEach(Pending.Outcome::lengthBytes);
    ends.assertAlive();
  }

  @Test
  void shouldThrowBusyFromTheBlockingForm() throws TransportException {
    ChannelEnds ends = channel(64);
    for (int i = 0; i < MAX; i++) {
      ends.send(0, 64, 1);
    }
    TransportException failure =
        assertFails(Reason.BUSY, () -> ends.out().send(ends.source(), 0, 64, 1, PATIENCE));
    assertTrue(failure.getMessage().contains("64"), failure.getMessage());
  }

  @Test
  void shouldRefuseRequestsThatNeverWere() throws TransportException {
    ChannelEnds ends = channel(64);
    for (long never : new long[] {0, 1, 63, 64, 1L << 32, Long.MAX_VALUE, -1, Long.MIN_VALUE}) {
      assertRefused(ends.out(), never);
      assertRefused(ends.in(), never);
    }
    ends.assertAlive();
  }

  @Test
  void shouldRefuseRequestsThatAreOverForEver() throws TransportException {
    ChannelEnds ends = channel(64);
    Pending send = ends.send(0, 64, 1);
    Pending receive = ends.receive(0, 64, 1);
    Pending.finish(send, receive);
    // Long enough to use every place many times: an old number must not name a new request.
    for (int i = 0; i < 5 * MAX; i++) {
      assertRefused(ends.out(), send.request());
      assertRefused(ends.in(), receive.request());
      Pending laterSend = ends.send(0, 64, 1);
      Pending laterReceive = ends.receive(0, 64, 1);
      assertRefused(ends.out(), send.request());
      assertRefused(ends.in(), receive.request());
      Pending.finish(laterSend, laterReceive).forEach(Pending.Outcome::lengthBytes);
    }
  }

  @Test
  void shouldRefuseAFailedRequestOnceItsFailureWasSeen() throws TransportException {
    ChannelEnds ends = channel(64);
    Pending send = ends.send(0, 64, 1);
    Pending receive = ends.receive(0, 1, 1);
    Pending.finish(send, receive).forEach(Pending.Outcome::reason);
    assertRefused(ends.out(), send.request());
    assertRefused(ends.in(), receive.request());
    ends.assertAlive();
  }

  @Test
  void shouldHaveNoFailureWhereNothingFailed() throws TransportException {
    ChannelEnds ends = channel(64);
    assertThrows(IllegalStateException.class, ends.out()::failure);
    assertThrows(IllegalStateException.class, ends.in()::failure);
  }

  @Test
  void shouldAwaitAMessage() throws Exception {
    ChannelEnds ends = channel(64);
    Pending receive = ends.receive(0, 64, 1);
    Parallel sending =
        Parallel.start(
            () ->
                assertEquals(
                    64, ends.out().await(ends.out().isend(ends.source(), 0, 64, 1), PATIENCE)));
    assertEquals(64, ends.in().await(receive.request(), PATIENCE));
    sending.join();
  }

  @Test
  void shouldSendAndReceiveWithTheBlockingForms() throws Exception {
    ChannelEnds ends = channel(1 << 20);
    Bytes.fill(ends.sourceBytes(), 0, 1 << 20, 5);
    Parallel sending =
        Parallel.start(
            () -> {
              for (int i = 0; i < 100; i++) {
                ends.out().send(ends.source(), i, 10_000 - i, i, PATIENCE);
              }
            });
    for (int i = 0; i < 100; i++) {
      assertEquals(10_000 - i, ends.in().receive(ends.sink(), 0, 10_000, i, PATIENCE));
      assertEquals(ends.sourceBytes().slice(i, 10_000 - i), ends.sinkBytes().slice(0, 10_000 - i));
    }
    sending.join();
  }

  @Test
  void shouldGoOnWhenTheTimeOfAwaitPasses() throws TransportException {
    ChannelEnds ends = channel(64);
    Pending send = ends.send(0, 64, 1);
    assertEquals(Channel.PENDING, ends.out().await(send.request(), Duration.ZERO));
    assertEquals(Channel.PENDING, ends.out().await(send.request(), Duration.ofMillis(5)));
    Pending.finish(send, ends.receive(0, 64, 1)).forEach(Pending.Outcome::lengthBytes);
  }

  @Test
  void shouldGoOnWhenTheAwaitingThreadIsInterrupted() throws Exception {
    ChannelEnds ends = channel(64);
    Pending receive = ends.receive(0, 64, 1);
    Parallel waiting =
        Parallel.start(
            () -> {
              assertEquals(Channel.PENDING, ends.in().await(receive.request(), PATIENCE));
              assertTrue(Thread.currentThread().isInterrupted(), "the interrupt stays set");
            });
    waiting.interrupt();
    waiting.join();
    Pending.finish(receive, ends.send(0, 64, 1)).forEach(Pending.Outcome::lengthBytes);
  }

  @Test
  void shouldSayInterruptedFromTheBlockingForm() throws Exception {
    ChannelEnds ends = channel(64);
    Parallel waiting =
        Parallel.start(
            () -> {
              assertFails(
                  Reason.INTERRUPTED, () -> ends.out().send(ends.source(), 0, 64, 1, PATIENCE));
              assertTrue(Thread.currentThread().isInterrupted(), "the interrupt stays set");
            });
    waiting.interrupt();
    waiting.join();
    assertEquals(ChannelState.READY, ends.out().state());
  }

  private static void assertRefused(Channel channel, long request) {
    assertThrows(IllegalArgumentException.class, () -> channel.test(request), "" + request);
    assertThrows(
        IllegalArgumentException.class,
        () -> channel.test(request, new long[Transport.MAX_GROUP]),
        "" + request);
    assertThrows(
        IllegalArgumentException.class, () -> channel.await(request, Duration.ZERO), "" + request);
  }

  @Test
  void shouldFreeTheSlotOfADetachedRequestWhenItIsOver() throws TransportException {
    ChannelEnds ends = channel(64);
    for (int i = 0; i < 2 * Transport.MAX_REQUESTS; i++) {
      long receive = ends.in().irecv(ends.sink(), 0, 64, 1);
      ends.in().detach(receive);
      Pending.finish(ends.send(0, 64, 1)).forEach(Pending.Outcome::lengthBytes);
      ends.exchange(64, i);
      assertThrows(IllegalArgumentException.class, () -> ends.in().test(receive));
    }
  }

  @Test
  void shouldStillNameADetachedRequestThatIsNotOver() throws TransportException {
    ChannelEnds ends = channel(64);
    long receive = ends.in().irecv(ends.sink(), 0, 64, 1);
    ends.in().detach(receive);
    assertEquals(Channel.PENDING, ends.in().test(receive));
    assertThrows(IllegalArgumentException.class, () -> ends.in().detach(receive + 64));
  }
}
