// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.handshake.HandshakeCounters.Counter;
import io.meshtransport.handshake.HandshakeException.Reason;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Connections after READY: used again, ended by either side, abused.
 *
 * <p>Also tests {@link HandshakeChannel} and {@link IdleConnection}.
 */
class ConnectionPoolTest {
  private static final NodeId PEER = Samples.RECEIVER;
  private static final HandshakeSettings WITH_SECRET =
      TestNode.patient().withSecret(SharedSecret.of("correct horse"));

  private static ConditionFactory await() {
    return Awaitility.await().atMost(TestNode.PATIENCE_S, TimeUnit.SECONDS);
  }

  /** The connection may become idle a moment later: the loop completes the future first. */
  private static Established get(CompletableFuture<Established> connect) throws Exception {
    return connect.get(TestNode.PATIENCE_S, TimeUnit.SECONDS);
  }

  /** Without retries: a connect that needs one fails. */
  private static HandshakeSettings once() {
    HandshakeSettings patient = TestNode.patient();
    return new HandshakeSettings(
        0, patient.timeoutMs(), 0, patient.maxHalfOpen(), patient.secret());
  }

  private static ServerSocket listener() throws Exception {
    return new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  }

  private static CompletableFuture<Established> connect(TestNode from, ServerSocket to) {
    return from.handshaker.connect(from.requestTo(PEER, to.getLocalPort(), 5), (nonce, peer) -> {});
  }

  /** A handshake by hand, up to the acceptor's READY. */
  private static ConnectionNonce serve(RawConnection connection, int capabilities)
      throws Exception {
    Hello hello = (Hello) connection.receive();
    connection.send(hello.answer(capabilities, TestNode.endpoint(0xA1A2A3)));
    assertEquals(new Ready(hello.nonce()), connection.receive());
    connection.send(new Ready(hello.nonce()));
    return hello.nonce();
  }

  private static Hello hello(TestNode to, long number) {
    return new Hello(
        HandshakeFrameType.HELLO_CONNECT,
        Samples.SENDER,
        to.id,
        new ConnectionNonce(7, number),
        0,
        0,
        Hello.CAPABILITY_KEEP_CONNECTION,
        TestNode.endpoint(0xA1A2A3));
  }

  /** The same from the other side. */
  private static void shakeHands(RawConnection connection, Hello hello) throws Exception {
    connection.send(hello);
    Hello answer = (Hello) connection.receive();
    assertTrue(answer.keepsConnection());
    connection.send(new Ready(hello.nonce()));
    assertEquals(new Ready(hello.nonce()), connection.receive());
  }

  @Test
  void shouldGoOnWithTheConnectionOfTheHandshakeBefore() throws Exception {
    try (TestNode a = TestNode.timeless(TestNode.patient());
        TestNode b = new TestNode(TestNode.patient())) {
      for (int i = 0; i < 10; i++) {
        assertEquals(1, get(a.connectTo(b, i)).attempts());
      }
      assertEquals(1, b.count(Counter.ACCEPTED));
      assertEquals(1, a.count(Counter.DIALED));
      assertEquals(9, a.count(Counter.REUSED));
      assertEquals(0, a.count(Counter.REUSE_FAILED));
      await().until(() -> a.count(Counter.IDLE_CONNECTIONS) == 1);
      await().until(() -> b.established.size() == 10);
    }
  }

  @Test
  void shouldChallengeEveryHandshakeAnewOnTheSameConnection() throws Exception {
    try (TestNode a = TestNode.timeless(WITH_SECRET);
        TestNode b = new TestNode(WITH_SECRET)) {
      for (int i = 0; i < 5; i++) {
        get(a.connectTo(b, i));
      }
      assertEquals(1, b.count(Counter.ACCEPTED));
      await().until(() -> b.established.size() == 5);
    }
  }

  @Test
  void shouldMakeAFurtherConnectionOnlyWhileTheOthersAreInUse() throws Exception {
    try (TestNode a = TestNode.timeless(TestNode.patient(4));
        TestNode b = new TestNode(TestNode.patient())) {
      List<CompletableFuture<Established>> connects = new ArrayList<>();
      for (int i = 0; i < 200; i++) {
        connects.add(a.connectTo(b, i));
      }
      for (CompletableFuture<Established> each : connects) {
        get(each);
      }
      assertTrue(a.count(Counter.DIALED) <= 4, a.handshaker.counters()::toString);
      assertEquals(a.count(Counter.DIALED), b.count(Counter.ACCEPTED));
      assertEquals(200, a.count(Counter.DIALED) + a.count(Counter.REUSED));
    }
  }

  @Test
  @Tag("slow")
  void shouldCloseAConnectionThatIsNotUsedAgain() throws Exception {
    try (TestNode a = new TestNode(TestNode.patient());
        TestNode b = new TestNode(TestNode.patient())) {
      get(a.connectTo(b, 1));
      await()
          .until(
              () ->
                  a.count(Counter.IDLE_CONNECTIONS) == 0 && a.count(Counter.OPEN_CONNECTIONS) == 0);
      await()
          .until(
              () ->
                  b.count(Counter.IDLE_CONNECTIONS) == 0 && b.count(Counter.OPEN_CONNECTIONS) == 0);
      assertEquals(0, b.count(Counter.CLOSED_BEFORE_HELLO));
      get(a.connectTo(b, 2));
      assertEquals(2, a.count(Counter.DIALED));
    }
  }

  @Test
  void shouldDialAtOnceWhenThePeerEndsAnIdleConnectionAtTheFirstFrame() throws Exception {
    try (TestNode a = TestNode.timeless(once());
        ServerSocket listener = listener()) {
      CompletableFuture<Established> first = connect(a, listener);
      RawConnection kept = new RawConnection(listener.accept());
      ConnectionNonce nonce = serve(kept, Hello.CAPABILITY_KEEP_CONNECTION);
      get(first);
      CompletableFuture<Established> second = connect(a, listener);
      assertNotEquals(nonce, ((Hello) kept.receive()).nonce());
      kept.close();
      try (RawConnection fresh = new RawConnection(listener.accept())) {
        serve(fresh, Hello.CAPABILITY_KEEP_CONNECTION);
        // No retry was allowed, and none was needed.
        assertEquals(1, get(second).attempts());
      }
      assertEquals(1, a.count(Counter.REUSE_FAILED));
      assertEquals(0, a.count(Counter.RETRIED));
      assertEquals(2, a.count(Counter.DIALED));
    }
  }

  @Test
  void shouldFailWhenTheConnectionMadeInsteadIsEndedToo() throws Exception {
    try (TestNode a = TestNode.timeless(once());
        ServerSocket listener = listener()) {
      CompletableFuture<Established> first = connect(a, listener);
      RawConnection kept = new RawConnection(listener.accept());
      serve(kept, Hello.CAPABILITY_KEEP_CONNECTION);
      get(first);
      CompletableFuture<Established> second = connect(a, listener);
      kept.receive();
      kept.close();
      listener.accept().close();
      assertEquals(Reason.PEER_CLOSED, HandshakerTest.reasonOf(second));
      assertEquals(2, a.count(Counter.DIALED));
    }
  }

  @Test
  void shouldNotRepeatForFreeWhatThePeerHasAnswered() throws Exception {
    try (TestNode a = TestNode.timeless(once());
        ServerSocket listener = listener()) {
      CompletableFuture<Established> first = connect(a, listener);
      RawConnection kept = new RawConnection(listener.accept());
      serve(kept, Hello.CAPABILITY_KEEP_CONNECTION);
      get(first);
      CompletableFuture<Established> second = connect(a, listener);
      Hello hello = (Hello) kept.receive();
      kept.send(hello.answer(Hello.CAPABILITY_KEEP_CONNECTION, TestNode.endpoint(0xA1A2A3)));
      assertEquals(new Ready(hello.nonce()), kept.receive());
      kept.close();
      assertEquals(Reason.PEER_CLOSED, HandshakerTest.reasonOf(second));
      assertEquals(0, a.count(Counter.REUSE_FAILED));
      assertEquals(1, a.count(Counter.DIALED));
    }
  }

  @Test
  void shouldReachAnAcceptorThatWasStartedAnewAtTheSamePort() throws Exception {
    try (TestNode a = TestNode.timeless(once())) {
      int port;
      try (TestNode b = new TestNode(TestNode.patient())) {
        port = b.handshaker.port();
        get(a.connectTo(b, 1));
      }
      try (TestNode anew = new TestNode(TestNode.patient().withPort(port))) {
        assertEquals(1, get(a.connectTo(anew, 2)).attempts());
        assertEquals(1, anew.count(Counter.ACCEPTED));
      }
    }
  }

  @Test
  void shouldEndTheConnectionWhenThePeerDoesNotSayThatItKeepsIt() throws Exception {
    try (TestNode a = TestNode.timeless(once());
        ServerSocket listener = listener()) {
      CompletableFuture<Established> connect = connect(a, listener);
      try (RawConnection connection = new RawConnection(listener.accept())) {
        serve(connection, 0);
        get(connect);
        connection.awaitEnd();
      }
      assertEquals(0, a.count(Counter.IDLE_CONNECTIONS));
    }
  }

  @Test
  void shouldDropAKeptConnectionOnWhichThePeerSaysAnything() throws Exception {
    try (TestNode a = TestNode.timeless(once());
        ServerSocket listener = listener()) {
      CompletableFuture<Established> first = connect(a, listener);
      try (RawConnection talkative = new RawConnection(listener.accept())) {
        Hello hello = (Hello) talkative.receive();
        talkative.send(hello.answer(Hello.CAPABILITY_KEEP_CONNECTION, TestNode.endpoint(0xA1A2A3)));
        talkative.receive();
        byte[] ready = new Ready(hello.nonce()).encode();
        byte[] more = Arrays.copyOf(ready, ready.length + 1);
        // Together with the final frame, which is valid, so that the next handler gets it.
        talkative.send(more);
        get(first);
        talkative.awaitEnd();
      }
      await().until(() -> a.count(Counter.IDLE_CONNECTIONS) == 0);
      CompletableFuture<Established> second = connect(a, listener);
      try (RawConnection fresh = new RawConnection(listener.accept())) {
        serve(fresh, 0);
        get(second);
      }
      assertEquals(0, a.count(Counter.REUSED));
    }
  }

  @Test
  void shouldRefuseGarbageAndReplaysOnAKeptConnection() throws Exception {
    try (TestNode b = new TestNode(TestNode.patient())) {
      try (RawConnection outsider = RawConnection.to(b)) {
        shakeHands(outsider, hello(b, 1));
        shakeHands(outsider, hello(b, 2));
        outsider.send(hello(b, 1));
        assertEquals(Reason.REPLAY, assertInstanceOf(Refuse.class, outsider.receive()).reason());
        outsider.awaitEnd();
      }
      try (RawConnection outsider = RawConnection.to(b)) {
        shakeHands(outsider, hello(b, 3));
        outsider.send(new byte[] {'G', 'E', 'T'});
        assertEquals(Reason.GARBAGE, assertInstanceOf(Refuse.class, outsider.receive()).reason());
        outsider.awaitEnd();
      }
      try (RawConnection outsider = RawConnection.to(b)) {
        outsider.send(hello(b, 4));
        outsider.receive();
        byte[] ready = new Ready(hello(b, 4).nonce()).encode();
        // The next word has begun before this one is answered: out of turn.
        outsider.send(Arrays.copyOf(ready, ready.length + 1));
        assertEquals(hello(b, 4).nonce(), ((Ready) outsider.receive()).nonce());
        outsider.awaitEnd();
      }
      await().until(() -> b.count(Counter.OPEN_CONNECTIONS) == 0);
      assertEquals(0, b.count(Counter.IDLE_CONNECTIONS));
      assertEquals(4, b.established.size());
    }
  }

  @Test
  void shouldCloseWhatIsKeptWhenEitherSideCloses() throws Exception {
    try (TestNode a = TestNode.timeless(TestNode.patient())) {
      try (TestNode b = new TestNode(TestNode.patient())) {
        get(a.connectTo(b, 1));
        await().until(() -> a.count(Counter.IDLE_CONNECTIONS) == 1);
      }
      await().until(() -> a.count(Counter.IDLE_CONNECTIONS) == 0);
    }
    try (TestNode b = new TestNode(TestNode.patient())) {
      try (TestNode a = TestNode.timeless(TestNode.patient())) {
        get(a.connectTo(b, 2));
        await().until(() -> a.count(Counter.IDLE_CONNECTIONS) == 1);
      }
      await()
          .until(
              () ->
                  b.count(Counter.IDLE_CONNECTIONS) == 0 && b.count(Counter.OPEN_CONNECTIONS) == 0);
    }
  }

  @Test
  void shouldKeepNoMoreThanItMay() throws Exception {
    try (TestNode a = TestNode.timeless(TestNode.patient(2));
        TestNode b1 = new TestNode(TestNode.patient());
        TestNode b2 = new TestNode(TestNode.patient());
        TestNode b3 = new TestNode(TestNode.patient())) {
      get(a.connectTo(b1, 1));
      get(a.connectTo(b2, 2));
      get(a.connectTo(b3, 3));
      await().until(() -> a.count(Counter.IDLE_CONNECTIONS) == 2);
      // The one used longest ago.
      await().until(() -> b1.count(Counter.OPEN_CONNECTIONS) == 0);
      assertEquals(1, b2.count(Counter.OPEN_CONNECTIONS));
    }
  }

  @Test
  void shouldHaveNoMoreStandingThanItMay() throws Exception {
    try (TestNode b = new TestNode(TestNode.patient(1));
        TestNode a1 = TestNode.timeless(TestNode.patient());
        TestNode a2 = TestNode.timeless(TestNode.patient())) {
      get(a1.connectTo(b, 1));
      get(a2.connectTo(b, 2));
      await().until(() -> a1.count(Counter.IDLE_CONNECTIONS) == 0);
      await().until(() -> b.count(Counter.IDLE_CONNECTIONS) == 1);
      await().until(() -> a2.count(Counter.IDLE_CONNECTIONS) == 1);
    }
  }

  @Test
  void shouldPushOutAKeptConnectionBeforeOneThatNeverSpoke() throws Exception {
    List<RawConnection> silent = new ArrayList<>();
    try (TestNode b = new TestNode(TestNode.patient(1));
        TestNode a = TestNode.timeless(TestNode.patient())) {
      silent.add(RawConnection.to(b));
      await().until(() -> b.count(Counter.ACCEPTED) == 1);
      get(a.connectTo(b, 1));
      for (int i = 1; i < HandshakeSettings.PRE_HELLO_PER_HALF_OPEN; i++) {
        silent.add(RawConnection.to(b));
      }
      await().until(() -> b.count(Counter.EVICTED) == 1);
      await().until(() -> a.count(Counter.OPEN_CONNECTIONS) == 0);
      // The first of them is still open.
      shakeHands(silent.get(0), hello(b, 1));
    } finally {
      for (RawConnection connection : silent) {
        connection.close();
      }
    }
  }
}
