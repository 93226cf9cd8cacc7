// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.meshtransport.spi.TransportException.Reason;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Contract: anything can be closed at any moment, by any thread, twice. */
abstract class CloseChapter extends ContractChapter {
  @Test
  void shouldFailOwnRequestsWithClosed() throws TransportException {
    ChannelEnds ends = channel(64);
    Pending send = ends.send(0, 64, 1);
    Pending receive = ends.receive(0, 64, 2);
    ends.out().close();
    assertEquals(Reason.CLOSED, send.finish().reason());
    assertEquals(ChannelState.CLOSED, ends.out().state());

    ChannelEnds other = channel(64);
    Pending own = other.receive(0, 64, 2);
    other.in().close();
    assertEquals(Reason.CLOSED, own.finish().reason());
    assertEquals(ChannelState.CLOSED, other.in().state());
    assertEquals(Reason.PEER_CLOSED, receive.finish().reason());
  }

  @Test
  void shouldCloseWithoutAThreadThatWaits() throws Exception {
    ChannelEnds ends = channel(64);
    Pending own = ends.send(0, 64, 1);
    Pending peers = ends.receive(0, 64, 2);
    CompletableFuture<Void> end = ends.out().closeAsync().toCompletableFuture();
    assertEquals(Channel.FAILED, ends.out().isend(ends.source(), 0, 64, 1), "nothing begins");
    assertEquals(Reason.CLOSED, ends.out().failure().reason());
    end.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    assertEquals(ChannelState.CLOSED, ends.out().state());
    assertEquals(Reason.CLOSED, own.finish().reason());
    assertEquals(Reason.PEER_CLOSED, peers.finish().reason());
    ends.out().close();
    ends.out().closeAsync().toCompletableFuture().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);

    // The other end has failed by now.
    ends.in().closeAsync().toCompletableFuture().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    assertEquals(ChannelState.CLOSED, ends.in().state());
  }

  @Test
  void shouldWaitForTheCloseThatNoThreadWaitsFor() throws TransportException {
    ChannelEnds ends = channel(64);
    ends.out().closeAsync();
    ends.out().close();
    assertEquals(ChannelState.CLOSED, ends.out().state());

    ChannelEnds closed = channel(64);
    closed.in().close();
    assertTrue(closed.in().closeAsync().toCompletableFuture().isDone());
  }

  @Test
  void shouldFailThePeersRequestsWithPeerClosed() throws TransportException {
    ChannelEnds ends = channel(64);
    Pending send = ends.send(0, 64, 1);
    Pending second = ends.send(0, 64, 2);
    ends.in().close();
    for (Pending.Outcome end : Pending.finish(send, second)) {
      assertEquals(Reason.PEER_CLOSED, end.reason());
    }
    assertEquals(Channel.FAILED, ends.out().isend(ends.source(), 0, 64, 1));
    assertEquals(Reason.PEER_CLOSED, ends.out().failure().reason());

    ChannelEnds other = channel(64);
    Pending receive = other.receive(0, 64, 1);
    other.out().close();
    assertEquals(Reason.PEER_CLOSED, receive.finish().reason());
    assertEquals(Channel.FAILED, other.in().irecv(other.sink(), 0, 64, 1));
  }

  @Test
  void shouldLoseNoMessageWhoseSendWasDone() throws TransportException {
    int count = 32;
    ChannelEnds ends = channel(count * 1_000);
    List<Pending> receives = new ArrayList<>();
    List<Pending> sends = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Bytes.fill(ends.sourceBytes(), i * 1_000, 1_000, i);
      receives.add(ends.receive(i * 1_000L, 1_000, i));
      sends.add(ends.send(i * 1_000L, 1_000, i));
    }
    Pending waiting = ends.receive(0, 0, count);
    Pending.finish(sends.toArray(Pending[]::new)).forEach(Pending.Outcome::lengthBytes);
    ends.out().close();

    // The one that cannot come any more is looked at first.
    assertEquals(Reason.PEER_CLOSED, waiting.finish().reason());
    List<Pending.Outcome> outcomes = Pending.finish(receives.toArray(Pending[]::new));
    for (int i = 0; i < count; i++) {
      assertEquals(1_000, outcomes.get(i).lengthBytes());
      Bytes.check(ends.sinkBytes(), i * 1_000, 1_000, i);
    }
  }

  @Test
  void shouldFailWhatIsBegunAfterCloseAsWhatWasPendingThen() throws TransportException {
    ChannelEnds sending = channel(64);
    Pending pending = sending.send(0, 64, 1);
    sending.out().close();
    assertEquals(Reason.CLOSED, pending.finish().reason());
    assertEquals(Channel.FAILED, sending.out().isend(memory(left, 64), 0, 1, 1));
    assertEquals(Channel.FAILED, sending.out().isend(ByteBuffer.allocate(1), 1));
    assertEquals(Reason.CLOSED, sending.out().failure().reason());
    assertClosed(() -> sending.out().send(memory(left, 64), 0, 1, 1, PATIENCE));
    assertClosed(() -> sending.out().send(ByteBuffer.allocate(1), 1, PATIENCE));

    ChannelEnds receiving = channel(64);
    receiving.in().close();
    assertEquals(Channel.FAILED, receiving.in().irecv(memory(right, 64), 0, 1, 1));
    ReceiveGroup group = new ReceiveGroup().add(memory(right, 64), 0, 1, 1);
    assertEquals(Channel.FAILED, receiving.in().irecv(group, ReceiveChannel.NO_DEADLINE));
    assertEquals(Reason.CLOSED, receiving.in().failure().reason());
    assertClosed(() -> receiving.in().receive(memory(right, 64), 0, 1, 1, PATIENCE));
  }

  private static void assertClosed(Executable blocking) {
    assertEquals(Reason.CLOSED, assertThrows(TransportException.class, blocking).reason());
  }

  /** Memory ends with its transport, and channels before it. */
  @Test
  void shouldFailWhatIsBegunAfterTheTransportIsClosedInTheSameWay() throws TransportException {
    assumeChannelsAreClosedFirst();
    ChannelEnds ends = channel(64);
    RegisteredMemory memory = memory(left, 64);
    left.close();
    assertEquals(Channel.FAILED, ends.out().isend(memory, 0, 1, 1));
    assertEquals(Reason.CLOSED, ends.out().failure().reason());
    assertClosed(() -> ends.out().send(memory, 0, 1, 1, PATIENCE));
  }

  @Test
  void shouldAcceptASecondCloseFromAnyThread() throws Exception {
    ChannelEnds ends = channel(64);
    ends.out().close();
    ends.out().close();
    Parallel.start(ends.out()::close).join();
    Parallel.start(ends.in()::close).join();
    ends.in().close();
    assertEquals(ChannelState.CLOSED, ends.out().state());
    assertEquals(ChannelState.CLOSED, ends.in().state());
  }

  @Test
  void shouldAcceptClosesOfBothEndsAtTheSameInstant() throws Exception {
    for (int i = 0; i < 20; i++) {
      ChannelEnds ends = channel(64);
      Parallel first = Parallel.start(ends.out()::close);
      Parallel second = Parallel.start(ends.out()::close);
      ends.in().close();
      first.join();
      second.join();
    }
    channel(64).assertAlive();
  }

  @Test
  void shouldLeaveOtherChannelsAlone() throws TransportException {
    ChannelEnds stays = channel(64);
    ChannelEnds goes = channel(64);
    goes.close();
    stays.assertAlive();
  }

  private void assumeChannelsAreClosedFirst() {
    assumeTrue(
        contract().closesChannelsFirst(),
        "what is below its channels is closed first, and says why they end");
  }

  @Test
  void shouldCloseEverythingMadeFromATransport() throws TransportException {
    assumeChannelsAreClosedFirst();
    Listener listener = left.listen();
    ChannelFuture<ReceiveChannel> accepting = listener.accept();
    ChannelEnds ends = channel(64);
    Pending send = ends.send(0, 64, 1);
    Pending receive = ends.receive(0, 64, 2);
    left.close();
    left.close();

    assertEquals(ChannelState.CLOSED, ends.out().state());
    assertEquals(Reason.CLOSED, send.finish().reason());
    assertEquals(Reason.PEER_CLOSED, receive.finish().reason());
    eventually().until(accepting::isDone);
    assertFails(Reason.CLOSED, () -> accepting.await(Duration.ZERO));
    assertFails(Reason.CLOSED, () -> listener.accept(PATIENCE));
    ends.out().close();
    ends.source().close();
    listener.close();
  }

  @Test
  void shouldEndConnectsWhenTheTransportCloses() throws TransportException {
    assumeChannelsAreClosedFirst();
    Listener listener = right.listen();
    List<ChannelFuture<SendChannel>> connecting = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      connecting.add(left.connect(listener.handle()));
    }
    left.close();
    for (ChannelFuture<SendChannel> opening : connecting) {
      eventually().until(opening::isDone);
      // One that was quicker than the close holds a channel that is closed by now.
      try {
        assertEquals(ChannelState.CLOSED, opening.await(Duration.ZERO).state());
      } catch (TransportException e) {
        assertEquals(Reason.CLOSED, e.reason(), e.toString());
      }
    }
  }

  @Test
  void shouldAcceptClosesInAnyOrder() throws Exception {
    Random random = Bytes.random("shouldAcceptClosesInAnyOrder");
    for (int i = 0; i < contract().repetitions(20); i++) {
      try (Transport from = contract().openNode("from");
          Transport to = contract().openNode("to")) {
        Listener listener = to.listen();
        ChannelEnds ends = channel(from, to, listener, 64);
        ends.send(0, 64, 1);
        ends.receive(0, 64, 2);
        List<AutoCloseable> things =
            Arrays.asList(listener, ends.out(), ends.in(), ends.source(), ends.sink(), from, to);
        Collections.shuffle(things, random);
        for (AutoCloseable thing : things) {
          thing.close();
        }
      }
    }
  }

  @Test
  void shouldEndTrafficWhenItsSenderIsClosedFromAnotherThread() throws Exception {
    for (int i = 0; i < contract().repetitions(10); i++) {
      ChannelEnds ends = channel(64 << 10);
      closeDuringTraffic(ends, ends.out()::close);
    }
    channel(64).assertAlive();
  }

  @Test
  void shouldEndTrafficWhenItsReceiverIsClosedFromAnotherThread() throws Exception {
    for (int i = 0; i < contract().repetitions(10); i++) {
      ChannelEnds ends = channel(64 << 10);
      closeDuringTraffic(ends, ends.in()::close);
    }
    channel(64).assertAlive();
  }

  @Test
  void shouldEndTrafficWhenItsTransportIsClosedFromAnotherThread() throws Exception {
    assumeChannelsAreClosedFirst();
    closeDuringTraffic(channel(64 << 10), left::close);
  }

  private static void closeDuringTraffic(ChannelEnds ends, Runnable close) throws Exception {
    AtomicInteger arrived = new AtomicInteger();
    Parallel sending = Parallel.start(() -> runUntilClosed(ends.out(), ends, new AtomicInteger()));
    Parallel receiving = Parallel.start(() -> runUntilClosed(ends.in(), ends, arrived));
    eventually().until(() -> arrived.get() > 50);
    close.run();
    sending.join();
    receiving.join();
  }

  /** Two requests at a time until the channel, one way or the other, will have no more. */
  private static void runUntilClosed(Channel channel, ChannelEnds ends, AtomicInteger passed) {
    try {
      while (true) {
        long first = begin(channel, ends);
        long second = begin(channel, ends);
        if (failed(channel, first) | failed(channel, second)) {
          return;
        }
        passed.addAndGet(2);
      }
    } catch (IllegalStateException e) {
      // The close may still be on its way from DRAINING.
      eventually().until(() -> channel.state() == ChannelState.CLOSED);
    }
  }

  private static long begin(Channel channel, ChannelEnds ends) {
    return channel == ends.out()
        ? ends.out().isend(ends.source(), 0, 64 << 10, 1)
        : ends.in().irecv(ends.sink(), 0, 64 << 10, 1);
  }

  private static boolean failed(Channel channel, long request) {
    long result = request < 0 ? request : channel.await(request, PATIENCE);
    if (result == 64 << 10) {
      return false;
    }
    assertEquals(Channel.FAILED, result);
    Reason reason = channel.failure(request).reason();
    assertTrue(EnumSet.of(Reason.CLOSED, Reason.PEER_CLOSED).contains(reason), "" + reason);
    return true;
  }
}
