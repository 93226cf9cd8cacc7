// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.spi.TransportException.Reason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Contract: how channels come to be. */
abstract class ConnectChapter extends ContractChapter {
  @Test
  void shouldNameItsNics() {
    assertFalse(left.nics().isEmpty());
    for (NicDescription nic : left.nics()) {
      assertFalse(nic.name().isBlank());
      assertFalse(nic.addresses().isEmpty(), nic.name());
      assertTrue(nic.maxMessageBytes() > 0, nic.name());
    }
  }

  @Test
  void shouldReturnFromAcceptBeforeAPeerConnects() throws TransportException {
    try (Listener listener = right.listen()) {
      // Would any of these block, the thread that connects below would never get there.
      ChannelFuture<ReceiveChannel> first = listener.accept();
      ChannelFuture<ReceiveChannel> second = listener.accept();
      assertFalse(first.isDone());
      assertFalse(second.isDone());

      assertNotNull(left.connect(listener.handle(), PATIENCE));
      assertNotNull(first.await(PATIENCE));
      assertFalse(second.isDone());
    }
  }

  @Test
  void shouldReturnFromConnectBeforeThePeerAccepts() throws TransportException {
    try (Listener listener = right.listen()) {
      ChannelFuture<SendChannel> connecting = left.connect(listener.handle());
      ChannelFuture<ReceiveChannel> accepting = listener.accept();

      assertEquals(ChannelState.READY, connecting.await(PATIENCE).state());
      assertEquals(ChannelState.READY, accepting.await(PATIENCE).state());
      assertTrue(connecting.isDone());
      assertTrue(accepting.isDone());
    }
  }

  @Test
  void shouldReturnChannelsInTheOrderOfAccepts() throws TransportException {
    try (Listener listener = right.listen()) {
      List<ChannelFuture<ReceiveChannel>> accepts =
          List.of(listener.accept(), listener.accept(), listener.accept());
      for (int i = 0; i < accepts.size(); i++) {
        left.connect(listener.handle(), PATIENCE);
        ChannelFuture<ReceiveChannel> next = accepts.get(i);
        eventually().until(next::isDone);
        for (ChannelFuture<ReceiveChannel> later : accepts.subList(i + 1, accepts.size())) {
          assertFalse(later.isDone());
        }
      }
    }
  }

  @Test
  void shouldConnectManyChannelsInBothDirectionsAtTheSameInstant() throws TransportException {
    int channels = 16;
    Listener atLeft = left.listen();
    Listener atRight = right.listen();
    List<ChannelFuture<SendChannel>> connecting = new ArrayList<>();
    List<ChannelFuture<ReceiveChannel>> accepting = new ArrayList<>();
    for (int i = 0; i < channels; i++) {
      connecting.add(left.connect(atRight.handle()));
      connecting.add(right.connect(atLeft.handle()));
      accepting.add(atLeft.accept());
      accepting.add(atRight.accept());
    }
    for (ChannelFuture<SendChannel> opening : connecting) {
      assertEquals(ChannelState.READY, opening.await(PATIENCE).state());
    }
    for (ChannelFuture<ReceiveChannel> opening : accepting) {
      assertEquals(ChannelState.READY, opening.await(PATIENCE).state());
    }
  }

  @Test
  void shouldKeepManyChannelsApart() throws TransportException {
    try (Listener listener = right.listen()) {
      List<ChannelEnds> channels = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        channels.add(channel(left, right, listener, 1_000));
      }
      List<Pending> requests = new ArrayList<>();
      for (int i = 0; i < channels.size(); i++) {
        Bytes.fill(channels.get(i).sourceBytes(), 0, 1_000, i);
        requests.add(channels.get(i).receive(0, 1_000, 5));
        requests.add(channels.get(i).send(0, 1_000 - i, 5));
      }
      List<Pending.Outcome> outcomes = Pending.finish(requests.toArray(Pending[]::new));
      for (int i = 0; i < channels.size(); i++) {
        assertEquals(1_000 - i, outcomes.get(2 * i).lengthBytes());
        Bytes.check(channels.get(i).sinkBytes(), 0, 1_000 - i, i);
      }
    }
  }

  @Test
  void shouldReachThreeNodesFromEachOther() throws Exception {
    try (Transport third = contract().openNode("third")) {
      channel(left, third, 256).assertAlive();
      channel(third, right, 256).assertAlive();
      channel(right, left, 256).assertAlive();
    }
  }

  @Test
  void shouldNameTheRouteOfAChannel() throws TransportException {
    ChannelEnds ends = channel(64);
    for (Route route : List.of(ends.out().route(), ends.in().route())) {
      assertFalse(route.peer().isBlank());
      assertFalse(route.localNic().isBlank());
      assertFalse(route.localAddress().isBlank());
      assertFalse(route.peerAddress().isBlank());
      assertFalse(route.subnet().isBlank());
      assertFalse(route.why().isBlank());
      assertTrue(route.handshakeNs() >= 0, route.toString());
    }
  }

  @Test
  void shouldLoseNothingWhenAnAcceptTimesOut() throws TransportException {
    try (Listener listener = right.listen()) {
      assertFails(Reason.TIMED_OUT, () -> listener.accept(Duration.ofMillis(1)));
      channel(left, right, listener, 64).assertAlive();
    }
  }

  @Test
  void shouldPassTheChannelOnWhenAnAcceptIsGivenUp() throws TransportException {
    try (Listener listener = right.listen()) {
      ChannelFuture<ReceiveChannel> givenUp = listener.accept();
      givenUp.close();
      givenUp.close();
      channel(left, right, listener, 64).assertAlive();
    }
  }

  @Test
  void shouldPassTheChannelOnWhenAnAcceptFailsOtherwise() throws TransportException {
    try (Listener listener = right.listen()) {
      CompletableFuture<ReceiveChannel> late =
          listener.accept().orTimeout(1, TimeUnit.MILLISECONDS);
      eventually().until(late::isCompletedExceptionally);
      channel(left, right, listener, 64).assertAlive();
    }
  }

  @Test
  void shouldRunWhatDependsOnAChannel() throws Exception {
    try (Listener listener = right.listen()) {
      CompletableFuture<List<ChannelState>> both =
          listener
              .accept()
              .thenCombine(
                  left.connect(listener.handle()), (in, out) -> List.of(in.state(), out.state()));
      assertEquals(
          List.of(ChannelState.READY, ChannelState.READY),
          both.get(PATIENCE.toNanos(), TimeUnit.NANOSECONDS));
    }
  }

  @Test
  void shouldSayThatAnOpeningWasCancelled() throws TransportException {
    try (Listener listener = right.listen()) {
      ChannelFuture<ReceiveChannel> accepting = listener.accept();
      assertTrue(accepting.cancel(false));
      assertFails(Reason.CLOSED, () -> accepting.await(PATIENCE));
    }
  }

  @Test
  void shouldLeaveTheChannelAloneWhenAnOpeningIsClosedAfterGet() throws TransportException {
    try (Listener listener = right.listen()) {
      ChannelFuture<ReceiveChannel> accepting = listener.accept();
      ChannelFuture<SendChannel> connecting = left.connect(listener.handle());
      SendChannel out = connecting.await(PATIENCE);
      ReceiveChannel in = accepting.await(PATIENCE);
      connecting.close();
      accepting.close();
      new ChannelEnds(out, in, memory(left, 64), memory(right, 64)).assertAlive();
    }
  }

  @Test
  void shouldGoOnWorkingAfterAConnectIsGivenUp() throws TransportException {
    try (Listener listener = right.listen()) {
      left.connect(listener.handle()).close();
    }
    channel(64).assertAlive();
  }

  @Test
  void shouldGiveUpAnOpeningWhenTheWaitingThreadIsInterrupted() throws TransportException {
    try (Listener listener = right.listen()) {
      ChannelFuture<ReceiveChannel> accepting = listener.accept();
      Thread.currentThread().interrupt();
      assertFails(Reason.INTERRUPTED, () -> accepting.await(PATIENCE));
      assertTrue(Thread.interrupted(), "the interrupt stays set");
      channel(left, right, listener, 64).assertAlive();
    }
  }

  @Test
  void shouldFailTypedWhenTheListenerIsClosed() throws TransportException {
    Listener listener = right.listen();
    byte[] handle = listener.handle();
    listener.close();
    assertNobodyThere(handle);
  }

  @Test
  void shouldFailTypedWhenTheNodeIsClosed() throws TransportException {
    byte[] handle = right.listen().handle();
    right.close();
    assertNobodyThere(handle);
  }

  /** Failing at once is as good as failing later, but it must be typed. */
  private void assertNobodyThere(byte[] handle) throws TransportException {
    ChannelFuture<SendChannel> connecting = left.connect(handle);
    eventually().atMost(PATIENCE.plus(contract().connectTimeout())).until(connecting::isDone);
    TransportException failure =
        assertThrows(TransportException.class, () -> connecting.await(Duration.ZERO));
    assertTrue(contract().noNodeThere().contains(failure.reason()), failure.toString());
  }

  @Test
  void shouldFailAcceptsOutstandingWhenTheListenerCloses() throws TransportException {
    Listener listener = right.listen();
    ChannelFuture<ReceiveChannel> accepting = listener.accept();
    listener.close();
    listener.close();
    eventually().until(accepting::isDone);
    assertFails(Reason.CLOSED, () -> accepting.await(Duration.ZERO));
  }

  @Test
  void shouldCloseChannelsWithoutAnOwnerWhenTheListenerCloses() throws TransportException {
    Listener listener = right.listen();
    ChannelFuture<SendChannel> connecting = left.connect(listener.handle());
    listener.close();
    eventually().atMost(PATIENCE.plus(contract().connectTimeout())).until(connecting::isDone);
    SendChannel out;
    try {
      out = connecting.await(Duration.ZERO);
    } catch (TransportException e) {
      assertTrue(contract().noNodeThere().contains(e.reason()), e.toString());
      return;
    }
    // It was quicker than the close, but it cannot be accepted any more.
    RegisteredMemory source = memory(left, 64);
    eventually().until(() -> endsWithPeerClosed(out, source));
  }

  private static boolean endsWithPeerClosed(SendChannel out, RegisteredMemory source) {
    long request = out.isend(source, 0, 64, 1, 10_000_000);
    assertTrue(
        request == Channel.FAILED || out.await(request, PATIENCE) == Channel.FAILED, "it was sent");
    return out.failure(request).reason() == Reason.PEER_CLOSED;
  }

  @Test
  void shouldKeepAcceptedChannelsWhenTheListenerCloses() throws TransportException {
    Listener listener = right.listen();
    ChannelEnds ends = channel(left, right, listener, 64);
    listener.close();
    ends.assertAlive();
  }

  @Test
  void shouldRefuseToWorkAfterClose() throws TransportException {
    Listener listener = right.listen();
    byte[] handle = listener.handle();
    listener.close();
    assertFails(Reason.CLOSED, () -> listener.accept(PATIENCE));

    right.close();
    assertFails(Reason.CLOSED, right::listen);
    assertFails(Reason.CLOSED, () -> right.connect(handle, PATIENCE));
    ChannelFuture<SendChannel> late = right.connect(handle);
    assertTrue(late.isCompletedExceptionally(), "begun as what was pending then");
    assertFails(Reason.CLOSED, () -> memory(right, 64));
  }
}
