// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.spi.TransportException.Reason;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Contract: both directions of a connection, its peer, its options, its one failure, and how it
 * comes to be. {@link ConnectionContractTest} has what it shares with one-way channels.
 */
abstract class ConnectionChapter extends ContractChapter {
  private static final Duration SOON = Duration.ofMillis(2);

  /** Long enough for an accept that must find nothing. */
  private static final Duration SHORT = Duration.ofMillis(50);

  @Override
  boolean needsConnections() {
    return true;
  }

  private ConnectionPair pair() throws TransportException {
    return ConnectionPair.between(left, right);
  }

  @Test
  void shouldCarryMessagesBothWaysAtOnce() throws TransportException {
    ConnectionPair pair = pair();
    ChannelEnds forth = pair.forth(1 << 20);
    ChannelEnds back = pair.back(1 << 20);
    Bytes.fill(forth.sourceBytes(), 0, 1 << 20, 1);
    Bytes.fill(back.sourceBytes(), 0, 1 << 20, 2);
    // One tag for both: a send must not meet a receive of its own end.
    Pending.finish(
            forth.send(0, 1 << 20, 1),
            back.send(0, 1 << 20, 1),
            forth.receive(0, 1 << 20, 1),
            back.receive(0, 1 << 20, 1))
        .forEach(end -> assertEquals(1 << 20, end.lengthBytes()));
    Bytes.check(forth.sinkBytes(), 0, 1 << 20, 1);
    Bytes.check(back.sinkBytes(), 0, 1 << 20, 2);
  }

  @Test
  void shouldNeverPairASendWithAReceiveOfItsOwnEnd() throws TransportException {
    ConnectionPair pair = pair();
    ChannelEnds forth = pair.forth(64);
    ChannelEnds back = pair.back(64);
    Pending receive = back.receive(0, 64, 1);
    Pending send = forth.send(0, 64, 1);
    for (int i = 0; i < 100; i++) {
      assertEquals(Channel.PENDING, pair.opened().test(receive.request()));
      assertEquals(Channel.PENDING, pair.opened().test(send.request()));
    }
    Pending.finish(receive, send, forth.receive(0, 64, 1), back.send(0, 64, 1))
        .forEach(end -> assertEquals(64, end.lengthBytes()));
  }

  @Test
  void shouldShareItsRequestsBetweenBothDirections() throws TransportException {
    ConnectionPair pair = pair();
    ChannelEnds forth = pair.forth(64);
    ChannelEnds back = pair.back(64);
    List<Pending> requests = new ArrayList<>();
    for (int i = 0; i < Transport.MAX_REQUESTS; i += 2) {
      requests.add(forth.send(0, 64, i));
      requests.add(back.receive(0, 64, i));
    }
    assertEquals(Channel.BUSY, pair.opened().isend(forth.source(), 0, 64, 1));
    assertEquals(Channel.BUSY, pair.opened().irecv(back.sink(), 0, 64, 1));
    for (int i = 0; i < Transport.MAX_REQUESTS; i += 2) {
      requests.add(forth.receive(0, 64, i));
      requests.add(back.send(0, 64, i));
    }
    Pending.finish(requests.toArray(Pending[]::new)).forEach(Pending.Outcome::lengthBytes);
    pair.assertAlive();
  }

  @Test
  void shouldPutAndGetFromBothEnds() throws TransportException {
    ConnectionPair pair = pair();
    for (ChannelEnds ends : List.of(pair.forth(64), pair.back(64))) {
      Transport near = ends.out() == pair.opened() ? left : right;
      Transport other = near == left ? right : left;
      RegisteredMemory far =
          other.register(List.of(ByteBuffer.allocateDirect(64)), EnumSet.allOf(RemoteAccess.class));
      RemoteMemory remote = near.remoteMemory(far.remoteKey());
      Bytes.fill(ends.sourceBytes(), 0, 64, 3);
      ends.out().put(ends.source(), 0, 64, remote, 0, PATIENCE);
      Bytes.fill(ends.sourceBytes(), 0, 64, 4);
      ends.out().get(ends.source(), 0, 64, remote, 0, PATIENCE);
      Bytes.check(ends.sourceBytes(), 0, 64, 3);
    }
    pair.assertAlive();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 100, ConnectOptions.MAX_HELLO_BYTES})
  void shouldBringTheHelloOfBothEnds(int lengthBytes) throws TransportException {
    byte[] there = new byte[lengthBytes];
    new Random(1).nextBytes(there);
    byte[] back = new byte[ConnectOptions.MAX_HELLO_BYTES - lengthBytes];
    new Random(2).nextBytes(back);
    ConnectionPair pair =
        ConnectionPair.between(
            left, ConnectOptions.DEFAULT.hello(there), right, ConnectOptions.DEFAULT.hello(back));
    assertArrayEquals(there, pair.accepted().hello());
    assertArrayEquals(back, pair.opened().hello());
    if (lengthBytes > 0) {
      pair.accepted().hello()[0]++;
      assertArrayEquals(there, pair.accepted().hello(), "a copy each time");
    }
    pair.assertAlive();
  }

  @Test
  void shouldHaveTheNameThatItsOwnEndGaveIt() throws TransportException {
    ConnectionPair pair =
        ConnectionPair.between(
            left, ConnectOptions.DEFAULT.name("bulk to right"), right, ConnectOptions.DEFAULT);
    assertEquals("bulk to right", pair.opened().name());
    assertEquals("", pair.accepted().name());
    pair.assertAlive();
  }

  /** Whether it has an effect depends on the device; messages pass in any case. */
  @Test
  void shouldCarryMessagesWithAPriority() throws TransportException {
    ConnectOptions options = ConnectOptions.DEFAULT.trafficClass(104).serviceLevel(3);
    ConnectionPair.between(left, options, right, options.serviceLevel(0)).assertAlive();
  }

  @Test
  void shouldNameThePeer() throws TransportException {
    ConnectionPair pair = pair();
    assertEquals(left.self(), pair.accepted().peer());
    assertEquals(right.self(), pair.opened().peer());
    assertEquals("left", left.self().name());
    try (Listener listener = left.listen()) {
      assertEquals(right.nodeId(listener.handle()), left.self().id());
    }
    assertEquals(32, left.self().id().length());
  }

  @Test
  void shouldFailBothDirectionsAtBothEnds() throws TransportException {
    ConnectionPair pair = pair();
    ChannelEnds forth = pair.forth(64);
    ChannelEnds back = pair.back(64);
    RegisteredMemory gone =
        right.register(List.of(ByteBuffer.allocateDirect(64)), EnumSet.of(RemoteAccess.PUT));
    RemoteMemory remote = left.remoteMemory(gone.remoteKey());
    gone.close();
    List<Pending> far = List.of(back.send(0, 64, 2), forth.receive(0, 64, 3));
    Pending send = forth.send(0, 64, 4);
    Pending receive = back.receive(0, 64, 5);
    Pending put =
        new Pending(
            pair.opened(),
            pair.opened().iput(forth.source(), 0, 64, remote, 0, Connection.NO_DEADLINE));

    List<Pending.Outcome> ends = Pending.finish(put, send, receive, far.get(0), far.get(1));
    assertEquals(Reason.REMOTE_ACCESS, ends.get(0).reason());
    ends.forEach(end -> assertEquals(Channel.FAILED, end.result()));
    assertEquals(ends.get(3).reason(), ends.get(4).reason(), "one failure for both directions");
    Reason atOwner = pair.accepted().failure().reason();
    assertEquals(ends.get(3).reason(), atOwner);
    assertTrue(
        contract().accessRefusedAtOwner().contains(atOwner), () -> "" + pair.accepted().failure());
    assertEquals(ChannelState.FAILED, pair.opened().state());
    assertEquals(ChannelState.FAILED, pair.accepted().state());
    assertEquals(Channel.FAILED, pair.opened().isend(forth.source(), 0, 64, 1));
    assertEquals(Channel.FAILED, pair.accepted().isend(back.source(), 0, 64, 1));
    assertEquals(Channel.FAILED, pair.accepted().irecv(forth.sink(), 0, 64, 1));
  }

  /** Waits for the end of a request while the other end is polled, too. */
  private static Pending.Outcome finish(Pending request, Connection other) {
    long begin = System.nanoTime();
    long result = request.channel().test(request.request());
    while (result == Channel.PENDING) {
      assertTrue(System.nanoTime() - begin < PATIENCE.toNanos(), () -> "still " + request);
      other.awaitProgress(other.progressCount(), Duration.ZERO);
      result = request.channel().test(request.request());
    }
    return new Pending.Outcome(
        result, result == Channel.FAILED ? request.channel().failure(request.request()) : null);
  }

  @Test
  void shouldTakeBackAReceive() throws TransportException {
    ConnectionPair pair = pair();
    ChannelEnds back = pair.back(64);
    Pending first = back.receive(0, 64, 1);
    Pending kept = back.receive(0, 64, 1);
    pair.opened().withdraw(first.request());
    pair.opened().withdraw(first.request());
    assertEquals(Reason.WITHDRAWN, finish(first, pair.accepted()).reason());

    Pending.finish(kept, back.send(0, 64, 1)).forEach(end -> assertEquals(64, end.lengthBytes()));
    pair.assertAlive();
  }

  @Test
  void shouldTakeBackAReceiveOfAHeapBuffer() throws TransportException {
    ConnectionPair pair = pair();
    ByteBuffer buffer = ByteBuffer.allocate(1 << 20);
    Pending receive = new Pending(pair.opened(), pair.opened().irecv(buffer, 1));
    pair.opened().withdraw(receive.request());
    assertEquals(Reason.WITHDRAWN, finish(receive, pair.accepted()).reason());

    pair.assertAlive();
  }

  @Test
  void shouldTakeBackReceivesOnly() throws TransportException {
    ConnectionPair pair = pair();
    Pending send = pair.forth(64).send(0, 64, 1);
    assertThrows(IllegalArgumentException.class, () -> pair.opened().withdraw(send.request()));
    assertThrows(
        IllegalArgumentException.class,
        () -> pair.opened().withdraw(send.request() + Transport.MAX_REQUESTS));
  }

  @Test
  void shouldLoseALateReceiveOnly() throws TransportException {
    ConnectionPair pair = pair();
    ChannelEnds back = pair.back(64);
    Pending kept = back.receive(0, 64, 2);
    Pending late =
        new Pending(pair.opened(), pair.opened().irecv(back.sink(), 0, 64, 1, SOON.toNanos()));
    assertEquals(Reason.TIMED_OUT, finish(late, pair.accepted()).reason());

    assertEquals(ChannelState.READY, pair.opened().state());
    Pending.finish(kept, back.send(0, 64, 2)).forEach(end -> assertEquals(64, end.lengthBytes()));
    pair.assertAlive();
  }

  @Test
  void shouldSayOfEachRequestWhyItFailed() throws TransportException {
    ConnectionPair pair = pair();
    ChannelEnds back = pair.back(64);
    Pending late =
        new Pending(pair.opened(), pair.opened().irecv(back.sink(), 0, 64, 1, SOON.toNanos()));
    Pending withdrawn = back.receive(0, 64, 2);
    finish(late, pair.accepted());
    pair.opened().withdraw(withdrawn.request());
    finish(withdrawn, pair.accepted());

    assertEquals(Reason.TIMED_OUT, pair.opened().failure(late.request()).reason());
    assertEquals(Reason.WITHDRAWN, pair.opened().failure(withdrawn.request()).reason());
    assertThrows(IllegalArgumentException.class, () -> pair.opened().failure(-1));
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldEndBothDirectionsWhenEitherEndCloses(boolean openedCloses) throws TransportException {
    ConnectionPair pair = pair();
    ChannelEnds forth = pair.forth(64);
    ChannelEnds back = pair.back(64);
    List<Pending> opened = List.of(forth.send(0, 64, 1), back.receive(0, 64, 2));
    List<Pending> accepted = List.of(back.send(0, 64, 3), forth.receive(0, 64, 4));
    (openedCloses ? pair.opened() : pair.accepted()).close();
    (openedCloses ? pair.opened() : pair.accepted()).close();

    for (Pending own : openedCloses ? opened : accepted) {
      assertEquals(Reason.CLOSED, own.finish().reason());
    }
    for (Pending far : openedCloses ? accepted : opened) {
      assertEquals(Reason.PEER_CLOSED, far.finish().reason());
    }
    assertEquals(ChannelState.CLOSED, (openedCloses ? pair.opened() : pair.accepted()).state());
    assertEquals(ChannelState.FAILED, (openedCloses ? pair.accepted() : pair.opened()).state());
    (openedCloses ? pair.accepted() : pair.opened()).close();
    assertEquals(Channel.FAILED, pair.opened().isend(forth.source(), 0, 64, 1));
    assertEquals(Channel.FAILED, pair.accepted().irecv(forth.sink(), 0, 64, 1));
    assertEquals(
        Reason.CLOSED, (openedCloses ? pair.opened() : pair.accepted()).failure().reason());
  }

  @Test
  void shouldGiveRequestsTheDeadlineOfTheOptions() throws TransportException {
    ConnectionPair pair =
        ConnectionPair.between(
            left, ConnectOptions.DEFAULT.deadline(SOON), right, ConnectOptions.DEFAULT);
    ChannelEnds forth = pair.forth(64);
    assertEquals(Reason.TIMED_OUT, forth.send(0, 64, 1).finish().reason());
    long plain = pair.opened().isend(ByteBuffer.allocate(8), 1);
    assertEquals(Reason.TIMED_OUT, new Pending(pair.opened(), plain).finish().reason());

    Pending patient =
        new Pending(
            pair.opened(), pair.opened().isend(forth.source(), 0, 64, 5, Connection.NO_DEADLINE));
    long begin = System.nanoTime();
    while (System.nanoTime() - begin < 10 * SOON.toNanos()) {
      assertEquals(Channel.PENDING, pair.opened().test(patient.request()));
    }
    Pending.finish(patient, forth.receive(0, 64, 5))
        .forEach(end -> assertEquals(64, end.lengthBytes()));
    Pending receive = pair.back(64).receive(0, 64, 1);
    assertEquals(Reason.TIMED_OUT, finish(receive, pair.accepted()).reason());
  }

  @Test
  void shouldLetSeveralThreadsBeginRequests() throws Exception {
    ConnectionPair pair = pair();
    ChannelEnds forth = pair.forth(64);
    ChannelEnds back = pair.back(64);
    int threads = 4;
    int each = Transport.MAX_REQUESTS / threads / 2;
    List<Pending> requests = new ArrayList<>();
    AtomicInteger ready = new AtomicInteger();
    List<Parallel> parallel = new ArrayList<>();
    for (int t = 0; t < threads; t++) {
      int base = t * each;
      parallel.add(
          Parallel.start(
              () -> {
                ready.incrementAndGet();
                while (ready.get() < threads) {
                  Thread.onSpinWait();
                }
                for (int i = base; i < base + each; i++) {
                  Pending send = forth.send(0, 64, i);
                  Pending receive = back.receive(0, 64, i);
                  synchronized (requests) {
                    requests.add(send);
                    requests.add(receive);
                  }
                }
              }));
    }
    for (Parallel thread : parallel) {
      thread.join();
    }
    assertEquals(2 * threads * each, requests.size());
    assertEquals(requests.size(), requests.stream().mapToLong(Pending::request).distinct().count());
    for (int i = 0; i < threads * each; i++) {
      requests.add(forth.receive(0, 64, i));
      requests.add(back.send(0, 64, i));
    }
    Pending.finish(requests.toArray(Pending[]::new))
        .forEach(end -> assertEquals(64, end.lengthBytes()));
  }

  @Test
  void shouldAcceptInTheOrderOfTheCalls() throws TransportException {
    try (Listener listener = right.listen()) {
      List<CompletableFuture<Connection>> accepts = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        accepts.add(listener.acceptConnection());
      }
      for (int i = 0; i < 4; i++) {
        byte[] hello = {(byte) i};
        left.connect(listener.handle(), ConnectOptions.DEFAULT.hello(hello), PATIENCE);
        Connection accepted = Blocking.get(accepts.get(i), PATIENCE, "accepting");
        assertArrayEquals(hello, accepted.hello());
        for (CompletableFuture<Connection> later : accepts.subList(i + 1, 4)) {
          assertFalse(later.isDone());
        }
      }
    }
  }

  @Test
  void shouldKeepWhatCameBeforeItsAccept() throws TransportException {
    try (Listener listener = right.listen()) {
      for (int i = 0; i < 4; i++) {
        byte[] hello = {(byte) i};
        left.connect(listener.handle(), ConnectOptions.DEFAULT.hello(hello), PATIENCE);
      }
      for (int i = 0; i < 4; i++) {
        assertArrayEquals(new byte[] {(byte) i}, listener.acceptConnection(PATIENCE).hello());
      }
    }
  }

  @Test
  void shouldKeepChannelsAndConnectionsApartAtOneListener() throws TransportException {
    try (Listener listener = right.listen()) {
      ChannelFuture<ReceiveChannel> acceptingChannel = listener.accept();
      CompletableFuture<Connection> accepting = listener.acceptConnection();
      Connection opened = left.connect(listener.handle(), ConnectOptions.DEFAULT, PATIENCE);
      Connection accepted = Blocking.get(accepting, PATIENCE, "accepting");
      assertFalse(acceptingChannel.isDone());
      SendChannel out = left.connect(listener.handle(), PATIENCE);
      ReceiveChannel in = acceptingChannel.await(PATIENCE);
      new ChannelEnds(out, in, memory(left, 64), memory(right, 64)).assertAlive();
      new ConnectionPair(left, opened, right, accepted).assertAlive();

      // What is not accepted yet waits for an accept of its kind, too.
      left.connect(listener.handle(), PATIENCE);
      assertFails(Reason.TIMED_OUT, () -> listener.acceptConnection(SHORT));
      left.connect(listener.handle(), ConnectOptions.DEFAULT, PATIENCE);
      assertEquals(ChannelState.READY, listener.accept(PATIENCE).state());
      assertFails(Reason.TIMED_OUT, () -> listener.accept(SHORT));
      assertEquals(ChannelState.READY, listener.acceptConnection(PATIENCE).state());
    }
  }

  @Test
  void shouldWithdrawAnAcceptThatIsCancelled() throws TransportException {
    try (Listener listener = right.listen()) {
      CompletableFuture<Connection> first = listener.acceptConnection();
      CompletableFuture<Connection> second = listener.acceptConnection();
      assertTrue(first.cancel(false));
      left.connect(listener.handle(), ConnectOptions.DEFAULT.hello(new byte[] {7}), PATIENCE);
      Connection accepted = Blocking.get(second, PATIENCE, "accepting");
      assertArrayEquals(new byte[] {7}, accepted.hello());
      second.cancel(false);
      assertEquals(ChannelState.READY, accepted.state(), "a cancel after the end changes nothing");
    }
  }

  @Test
  void shouldLoseNoConnectionWhenAnAcceptTimesOutOrIsInterrupted() throws TransportException {
    try (Listener listener = right.listen()) {
      assertFails(Reason.TIMED_OUT, () -> listener.acceptConnection(SHORT));
      Thread.currentThread().interrupt();
      assertFails(Reason.INTERRUPTED, () -> listener.acceptConnection(PATIENCE));
      assertTrue(Thread.interrupted(), "the interrupt stays set");
      ConnectionPair.between(left, right, listener).assertAlive();
    }
  }

  @Test
  void shouldGoOnAfterAConnectIsCancelled() throws TransportException {
    try (Listener listener = right.listen()) {
      CompletableFuture<Connection> connecting =
          left.connect(listener.handle(), ConnectOptions.DEFAULT);
      if (!connecting.cancel(false)) {
        connecting.join().close();
      }
      Thread.currentThread().interrupt();
      try {
        // It may be there before the wait begins.
        left.connect(listener.handle(), ConnectOptions.DEFAULT, PATIENCE).close();
        Thread.interrupted();
      } catch (TransportException e) {
        assertEquals(Reason.INTERRUPTED, e.reason(), e.toString());
        assertTrue(Thread.interrupted(), "the interrupt stays set");
      }
    }
    pair().assertAlive();
  }

  @Test
  void shouldFailAConnectWithoutAListener() throws TransportException {
    Listener listener = right.listen();
    byte[] handle = listener.handle();
    listener.close();
    CompletableFuture<Connection> connecting = left.connect(handle, ConnectOptions.DEFAULT);
    eventually().atMost(PATIENCE.plus(contract().connectTimeout())).until(connecting::isDone);
    Throwable cause = assertThrows(CompletionException.class, connecting::join).getCause();
    assertInstanceOf(TransportException.class, cause);
    assertTrue(
        EnumSet.of(Reason.PEER_UNREACHABLE, Reason.REFUSED, Reason.TIMED_OUT)
            .contains(((TransportException) cause).reason()),
        cause.toString());
    assertFails(Reason.BAD_HANDLE, () -> left.connect(new byte[3], ConnectOptions.DEFAULT));
  }

  @Test
  void shouldEndAcceptsAndConnectionsThatWaitWhenTheListenerCloses() throws TransportException {
    Listener listener = right.listen();
    Connection waiting = left.connect(listener.handle(), ConnectOptions.DEFAULT, PATIENCE);
    ConnectionPair accepted = ConnectionPair.between(left, right);
    Listener other = right.listen();
    CompletableFuture<Connection> accepting = other.acceptConnection();
    listener.close();
    other.close();
    eventually().until(accepting::isDone);
    Throwable cause = assertThrows(CompletionException.class, accepting::join).getCause();
    assertEquals(Reason.CLOSED, ((TransportException) cause).reason());
    assertFails(Reason.CLOSED, () -> other.acceptConnection(PATIENCE));

    long receive = waiting.irecv(memory(left, 64), 0, 64, 1);
    if (receive != Channel.FAILED) {
      assertEquals(Channel.FAILED, waiting.await(receive, PATIENCE));
    }
    assertEquals(Reason.PEER_CLOSED, waiting.failure().reason());
    accepted.assertAlive();
  }

  @Test
  void shouldRefuseToWorkWhenTheTransportIsClosed() throws TransportException {
    ConnectionPair pair = pair();
    byte[] handle;
    try (Listener listener = right.listen()) {
      handle = listener.handle();
    }
    left.close();
    assertEquals(ChannelState.CLOSED, pair.opened().state());
    assertFails(Reason.CLOSED, () -> left.connect(handle, ConnectOptions.DEFAULT, PATIENCE));
    assertFails(Reason.CLOSED, () -> left.listen(ConnectOptions.DEFAULT));
    assertFails(Reason.CLOSED, left::newPoller);
    long receive = pair.accepted().irecv(memory(right, 64), 0, 64, 1);
    if (receive != Channel.FAILED) {
      assertEquals(Channel.FAILED, pair.accepted().await(receive, PATIENCE));
    }
    assertEquals(Reason.PEER_CLOSED, pair.accepted().failure().reason());
  }

  @Test
  void shouldTakeAReceiveBackWhenItsThreadIsInterrupted() throws Exception {
    ConnectionPair pair = pair();
    ChannelEnds forth = pair.forth(64);
    int tag = 1;
    // A host that is overloaded may answer too late.
    while (!isInterruptedReceiveTakenBack(forth, tag)) {
      assertTrue(++tag <= 20, "no receive was taken back");
    }
    assertEquals(
        1, Pending.finish(forth.receive(32, 32, tag), forth.send(0, 1, tag)).get(0).result());
    pair.assertAlive();
  }

  private boolean isInterruptedReceiveTakenBack(ChannelEnds ends, int tag) {
    Thread.currentThread().interrupt();
    TransportException why =
        assertFails(Reason.INTERRUPTED, () -> ends.in().receive(ends.sink(), 0, 64, tag, PATIENCE));
    assertTrue(Thread.interrupted(), "the interrupt stays set");
    return why.getMessage().contains("was taken back");
  }

  @Test
  void shouldServeAThreadThatSendsAndOneThatReceivesAtEachEnd() throws Exception {
    ConnectionPair pair = pair();
    ChannelEnds forth = pair.forth(64);
    ChannelEnds back = pair.back(64);
    List<Parallel> threads =
        List.of(
            Parallel.start(() -> sendAll(forth)),
            Parallel.start(() -> receiveAll(forth)),
            Parallel.start(() -> sendAll(back)),
            Parallel.start(() -> receiveAll(back)));
    for (Parallel thread : threads) {
      thread.join();
    }
    pair.assertAlive();
  }

  private void sendAll(ChannelEnds ends) throws TransportException {
    for (int i = 0; i < contract().repetitions(1000); i++) {
      ends.out().send(ends.source(), 0, 8, 1, PATIENCE);
    }
  }

  private void receiveAll(ChannelEnds ends) throws TransportException {
    for (int i = 0; i < contract().repetitions(1000); i++) {
      assertEquals(8, ends.in().receive(ends.sink(), 0, 8, 1, PATIENCE));
    }
  }

  @Test
  void shouldOpenConnectionsBothWaysAtOnce() throws TransportException {
    try (Listener atLeft = left.listen();
        Listener atRight = right.listen()) {
      CompletableFuture<Connection> acceptLeft = atLeft.acceptConnection();
      CompletableFuture<Connection> acceptRight = atRight.acceptConnection();
      CompletableFuture<Connection> forth = left.connect(atRight.handle(), ConnectOptions.DEFAULT);
      CompletableFuture<Connection> back = right.connect(atLeft.handle(), ConnectOptions.DEFAULT);
      new ConnectionPair(
              left,
              Blocking.get(forth, PATIENCE, "connecting"),
              right,
              Blocking.get(acceptRight, PATIENCE, "accepting"))
          .assertAlive();
      new ConnectionPair(
              right,
              Blocking.get(back, PATIENCE, "connecting"),
              left,
              Blocking.get(acceptLeft, PATIENCE, "accepting"))
          .assertAlive();
    }
  }
}
