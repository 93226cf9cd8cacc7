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
  void shouldTakeSixtyFourSendsAndBeBusyUntilOneIsTested() throws TransportException {
    Line line = line(64 * MAX);
    List<Pending> sends = new ArrayList<>();
    for (int i = 0; i < MAX; i++) {
      sends.add(line.send(64L * i, 64, i));
    }
    for (int i = 0; i < 100; i++) {
      assertEquals(Channel.BUSY, line.out().isend(line.source(), 0, 64, 1));
    }
    // One that is in the middle, so that the free place is not the one at either end.
    Pending first = sends.remove(MAX / 2);
    Pending.finish(line.receive(0, 64, MAX / 2), first).forEach(Pending.Outcome::lengthBytes);

    sends.add(line.send(0, 64, MAX / 2));
    assertEquals(Channel.BUSY, line.out().isend(line.source(), 0, 64, 1));
    for (int tag = 0; tag < MAX; tag++) {
      sends.add(line.receive(64L * tag, 64, tag));
    }
    Pending.finish(sends.toArray(Pending[]::new)).forEach(Pending.Outcome::lengthBytes);
    line.assertAlive();
  }

  @Test
  void shouldTakeSixtyFourReceivesAndBeBusyUntilOneIsTested() throws TransportException {
    Line line = line(64 * MAX);
    List<Pending> requests = new ArrayList<>();
    for (int i = 0; i < MAX; i++) {
      requests.add(line.receive(64L * i, 64, i));
    }
    for (int i = 0; i < 100; i++) {
      assertEquals(Channel.BUSY, line.in().irecv(line.sink(), 0, 64, 1));
    }
    Pending first = requests.remove(MAX / 2);
    Pending.finish(first, line.send(0, 64, MAX / 2)).forEach(Pending.Outcome::lengthBytes);

    requests.add(line.receive(0, 64, MAX / 2));
    assertEquals(Channel.BUSY, line.in().irecv(line.sink(), 0, 64, 1));
    for (int tag = 0; tag < MAX; tag++) {
      requests.add(line.send(64L * tag, 64, tag));
    }
    Pending.finish(requests.toArray(Pending[]::new)).forEach(Pending.Outcome::lengthBytes);
    line.assertAlive();
  }

  @Test
  void shouldGiveEachCallerAFailureOfItsOwn() throws Exception {
    Line line = line(64);
    Pending receive = line.receive(0, 64, 1);
    line.out().close();
    assertEquals(Reason.PEER_CLOSED, receive.finish().reason());
    TransportException first = line.in().failure();
    TransportException second = line.in().failure();
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
    TransportException one = assertFails(Reason.CLOSED, accepting::get);
    assertNotSame(one, assertFails(Reason.CLOSED, accepting::get));
  }

  @Test
  void shouldSayWhatItIsInALog() throws TransportException {
    Line line = line(64);
    Pending receive = line.receive(0, 64, 1);
    for (Channel end : List.of(line.out(), line.in())) {
      String text = end.toString();
      assertTrue(text.contains(end.route().toString()), text);
      assertTrue(text.contains(end.state().name()), text);
      assertFalse(text.contains("@"), text);
    }
    assertTrue(line.in().toString().contains("1 request"), line.in().toString());
    assertTrue(line.source().toString().contains("64 bytes"), line.source().toString());
    line.out().close();
    assertEquals(Reason.PEER_CLOSED, receive.finish().reason());
    assertTrue(line.out().toString().contains("CLOSED"), line.out().toString());
  }

  @Test
  void shouldCountARequestUntilItIsTestedEvenWhenItsMessageHasArrived() throws TransportException {
    Line line = line(64);
    List<Pending> receives = new ArrayList<>();
    List<Pending> sends = new ArrayList<>();
    for (int i = 0; i < MAX; i++) {
      receives.add(line.receive(0, 64, 1));
      sends.add(line.send(0, 64, 1));
    }
    Pending.finish(sends.toArray(Pending[]::new)).forEach(Pending.Outcome::lengthBytes);
    assertEquals(Channel.BUSY, line.in().irecv(line.sink(), 0, 64, 1));
    Pending.finish(receives.toArray(Pending[]::new)).forEach(Pending.Outcome::lengthBytes);
    line.assertAlive();
  }

  @Test
  void shouldSayBusyInWordsFromTheBlockingForm() throws TransportException {
    Line line = line(64);
    for (int i = 0; i < MAX; i++) {
      line.send(0, 64, 1);
    }
    TransportException failure =
        assertFails(Reason.BUSY, () -> line.out().send(line.source(), 0, 64, 1, PATIENCE));
    assertTrue(failure.getMessage().contains("64"), failure.getMessage());
  }

  @Test
  void shouldRefuseRequestsThatNeverWere() throws TransportException {
    Line line = line(64);
    for (long never : new long[] {0, 1, 63, 64, 1L << 32, Long.MAX_VALUE, -1, Long.MIN_VALUE}) {
      assertRefused(line.out(), never);
      assertRefused(line.in(), never);
    }
    line.assertAlive();
  }

  @Test
  void shouldRefuseRequestsThatAreOverForEver() throws TransportException {
    Line line = line(64);
    Pending send = line.send(0, 64, 1);
    Pending receive = line.receive(0, 64, 1);
    Pending.finish(send, receive);
    // Long enough to use every place many times: an old number must not name a new request.
    for (int i = 0; i < 5 * MAX; i++) {
      assertRefused(line.out(), send.request());
      assertRefused(line.in(), receive.request());
      Pending laterSend = line.send(0, 64, 1);
      Pending laterReceive = line.receive(0, 64, 1);
      assertRefused(line.out(), send.request());
      assertRefused(line.in(), receive.request());
      Pending.finish(laterSend, laterReceive).forEach(Pending.Outcome::lengthBytes);
    }
  }

  @Test
  void shouldRefuseAFailedRequestOnceItsFailureWasSeen() throws TransportException {
    Line line = line(64);
    Pending send = line.send(0, 64, 1);
    Pending receive = line.receive(0, 1, 1);
    Pending.finish(send, receive).forEach(Pending.Outcome::reason);
    assertRefused(line.out(), send.request());
    assertRefused(line.in(), receive.request());
    line.assertAlive();
  }

  @Test
  void shouldHaveNoFailureWhereNothingFailed() throws TransportException {
    Line line = line(64);
    assertThrows(IllegalStateException.class, line.out()::failure);
    assertThrows(IllegalStateException.class, line.in()::failure);
  }

  @Test
  void shouldAwaitAMessage() throws Exception {
    Line line = line(64);
    Pending receive = line.receive(0, 64, 1);
    Parallel sending =
        Parallel.start(
            () ->
                assertEquals(
                    64, line.out().await(line.out().isend(line.source(), 0, 64, 1), PATIENCE)));
    assertEquals(64, line.in().await(receive.request(), PATIENCE));
    sending.join();
  }

  @Test
  void shouldSendAndReceiveWithTheBlockingForms() throws Exception {
    Line line = line(1 << 20);
    Bytes.fill(line.sourceBytes(), 0, 1 << 20, 5);
    Parallel sending =
        Parallel.start(
            () -> {
              for (int i = 0; i < 100; i++) {
                line.out().send(line.source(), i, 10_000 - i, i, PATIENCE);
              }
            });
    for (int i = 0; i < 100; i++) {
      assertEquals(10_000 - i, line.in().receive(line.sink(), 0, 10_000, i, PATIENCE));
      assertEquals(line.sourceBytes().slice(i, 10_000 - i), line.sinkBytes().slice(0, 10_000 - i));
    }
    sending.join();
  }

  @Test
  void shouldGoOnWhenTheTimeOfAwaitPasses() throws TransportException {
    Line line = line(64);
    Pending send = line.send(0, 64, 1);
    assertEquals(Channel.PENDING, line.out().await(send.request(), Duration.ZERO));
    assertEquals(Channel.PENDING, line.out().await(send.request(), Duration.ofMillis(5)));
    Pending.finish(send, line.receive(0, 64, 1)).forEach(Pending.Outcome::lengthBytes);
  }

  @Test
  void shouldGoOnWhenTheAwaitingThreadIsInterrupted() throws Exception {
    Line line = line(64);
    Pending receive = line.receive(0, 64, 1);
    Parallel waiting =
        Parallel.start(
            () -> {
              assertEquals(Channel.PENDING, line.in().await(receive.request(), PATIENCE));
              assertTrue(Thread.currentThread().isInterrupted(), "the interrupt stays set");
            });
    waiting.interrupt();
    waiting.join();
    Pending.finish(receive, line.send(0, 64, 1)).forEach(Pending.Outcome::lengthBytes);
  }

  @Test
  void shouldSayInterruptedFromTheBlockingForm() throws Exception {
    Line line = line(64);
    Parallel waiting =
        Parallel.start(
            () -> {
              assertFails(
                  Reason.INTERRUPTED, () -> line.out().send(line.source(), 0, 64, 1, PATIENCE));
              assertTrue(Thread.currentThread().isInterrupted(), "the interrupt stays set");
            });
    waiting.interrupt();
    waiting.join();
    assertEquals(ChannelState.READY, line.out().state());
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
  void shouldFreeTheSlotOfAForgottenRequestWhenItIsOver() throws TransportException {
    Line line = line(64);
    for (int i = 0; i < 2 * Transport.MAX_REQUESTS; i++) {
      long receive = line.in().irecv(line.sink(), 0, 64, 1);
      line.in().detach(receive);
      Pending.finish(line.send(0, 64, 1)).forEach(Pending.Outcome::lengthBytes);
      line.exchange(64, i);
      assertThrows(IllegalArgumentException.class, () -> line.in().test(receive));
    }
  }

  @Test
  void shouldStillNameARequestThatIsForgottenButNotOver() throws TransportException {
    Line line = line(64);
    long receive = line.in().irecv(line.sink(), 0, 64, 1);
    line.in().detach(receive);
    assertEquals(Channel.PENDING, line.in().test(receive));
    assertThrows(IllegalArgumentException.class, () -> line.in().detach(receive + 64));
  }
}
