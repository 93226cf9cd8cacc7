// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.handshake.HandshakeCounters.Counter;
import io.meshtransport.handshake.HandshakeException.Reason;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A connector, and a peer that answers at its target, driven by hand. */
class HostileAcceptorTest {
  private static final SharedSecret SECRET = SharedSecret.of("correct horse");
  private static final NodeId PEER = Samples.RECEIVER;

  private final AtomicBoolean broughtUp = new AtomicBoolean();
  private ServerSocket listener;

  @BeforeEach
  void listen() throws Exception {
    listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  }

  @AfterEach
  void stopListening() throws Exception {
    listener.close();
  }

  private RawConnection accept() throws Exception {
    return new RawConnection(listener.accept());
  }

  private CompletableFuture<Established> connect(TestNode from) {
    return from.handshaker.connect(
        from.requestTo(PEER, listener.getLocalPort(), 5), (nonce, peer) -> broughtUp.set(true));
  }

  private static Hello answer(HandshakeFrame hello) {
    return ((Hello) hello).answer(0, TestNode.endpoint(0xA1A2A3));
  }

  @Test
  void shouldTryAgainWithANewNonceWhenDroppedBeforeTheAnswer() throws Exception {
    try (TestNode a = new TestNode(TestNode.patient())) {
      CompletableFuture<Established> connect = connect(a);
      Set<ConnectionNonce> nonces = new HashSet<>();
      try (RawConnection dropped = accept()) {
        nonces.add(((Hello) dropped.receive()).nonce());
      }
      try (RawConnection busy = accept()) {
        nonces.add(((Hello) busy.receive()).nonce());
        busy.send(new Refuse(Reason.BUSY, "later"));
        busy.awaitEnd();
      }
      try (RawConnection served = accept()) {
        Hello hello = (Hello) served.receive();
        nonces.add(hello.nonce());
        served.send(answer(hello));
        assertEquals(new Ready(hello.nonce()), served.receive());
        served.send(new Ready(hello.nonce()));
        Established outcome = connect.get(TestNode.PATIENCE_S, TimeUnit.SECONDS);
        assertEquals(3, outcome.attempts());
        assertEquals(TestNode.endpoint(0xA1A2A3), outcome.peerEndpoint());
      }
      assertEquals(3, nonces.size());
      assertEquals(2, a.count(Counter.RETRIED));
      assertTrue(broughtUp.get());
    }
  }

  @Test
  void shouldStopTryingAfterTheConfiguredNumberOfRetries() throws Exception {
    try (TestNode a = new TestNode(TestNode.patient())) {
      CompletableFuture<Established> connect = connect(a);
      for (int i = 0; i <= TestNode.patient().retryCount(); i++) {
        accept().close();
      }
      assertEquals(Reason.PEER_CLOSED, HandshakerTest.reasonOf(connect));
      assertEquals(4, a.count(Counter.DIALED));
    }
  }

  @Test
  void shouldGiveUpAtTheDeadlineWhenThePeerSaysNothing() throws Exception {
    try (TestNode a = new TestNode(TestNode.patient())) {
      ConnectRequest patient = a.requestTo(PEER, listener.getLocalPort(), 5);
      ConnectRequest hasty =
          new ConnectRequest(
              patient.local(),
              patient.remote(),
              patient.peer(),
              "",
              0,
              0,
              patient.mine(),
              System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(100));
      assertEquals(
          Reason.TIMED_OUT, HandshakerTest.reasonOf(a.handshaker.connect(hasty, (n, e) -> {})));
      Awaitility.await()
          .atMost(TestNode.PATIENCE_S, TimeUnit.SECONDS)
          .until(() -> a.count(Counter.OPEN_CONNECTIONS) == 0);
    }
  }

  @Test
  void shouldRejectAnAnswerInTheNameOfAnotherNode() throws Exception {
    try (TestNode a = new TestNode(TestNode.patient())) {
      CompletableFuture<Established> connect = connect(a);
      try (RawConnection other = accept()) {
        Hello answer = answer(other.receive());
        other.send(
            new Hello(
                HandshakeFrameType.HELLO_ACCEPT,
                Samples.SENDER,
                a.id,
                answer.nonce(),
                0,
                0,
                0,
                TestNode.endpoint(0xA1A2A3)));
        assertEquals(Reason.WRONG_NODE, ((Refuse) other.receive()).reason());
      }
      assertEquals(Reason.WRONG_NODE, HandshakerTest.reasonOf(connect));
      assertFalse(broughtUp.get());
    }
  }

  @Test
  void shouldRejectAnAnswerToAnotherConnection() throws Exception {
    try (TestNode a = new TestNode(TestNode.patient())) {
      CompletableFuture<Established> connect = connect(a);
      try (RawConnection other = accept()) {
        other.receive();
        other.send(
            new Hello(
                HandshakeFrameType.HELLO_ACCEPT,
                PEER,
                a.id,
                Samples.NONCE,
                0,
                0,
                0,
                TestNode.endpoint(0xA1A2A3)));
        assertEquals(Reason.GARBAGE, ((Refuse) other.receive()).reason());
      }
      assertEquals(Reason.GARBAGE, HandshakerTest.reasonOf(connect));
    }
  }

  @Test
  void shouldNotMistakeItsOwnEchoForAPeer() throws Exception {
    try (TestNode a = new TestNode(TestNode.patient())) {
      CompletableFuture<Established> connect =
          a.handshaker.connect(
              a.requestTo(a.id, listener.getLocalPort(), 5), (n, e) -> broughtUp.set(true));
      try (RawConnection mirror = accept()) {
        mirror.send(mirror.receiveBytes());
        assertEquals(Reason.GARBAGE, ((Refuse) mirror.receive()).reason());
      }
      assertEquals(Reason.GARBAGE, HandshakerTest.reasonOf(connect));
      assertFalse(broughtUp.get());
    }
  }

  @Test
  void shouldRefuseAnAcceptorThatDoesNotRequireTheSecret() throws Exception {
    try (TestNode a = new TestNode(TestNode.patient().withSecret(SECRET))) {
      CompletableFuture<Established> connect = connect(a);
      try (RawConnection impostor = accept()) {
        impostor.send(answer(impostor.receive()));
        assertEquals(Reason.SECRET_UNEXPECTED, ((Refuse) impostor.receive()).reason());
      }
      assertEquals(Reason.SECRET_UNEXPECTED, HandshakerTest.reasonOf(connect));
      assertFalse(broughtUp.get());
    }
  }

  @Test
  void shouldNotTalkToAnAcceptorThatCannotProveTheSecret() throws Exception {
    SharedSecret other = SharedSecret.of("battery staple");
    try (TestNode a = new TestNode(TestNode.patient().withSecret(SECRET))) {
      CompletableFuture<Established> connect = connect(a);
      try (RawConnection impostor = accept()) {
        answerWithProof(impostor, other, false);
        assertEquals(Reason.SECRET_MISMATCH, ((Refuse) impostor.receive()).reason());
      }
      assertEquals(Reason.SECRET_MISMATCH, HandshakerTest.reasonOf(connect));
      assertFalse(broughtUp.get());
    }
  }

  @Test
  void shouldDetectAnEndpointThatWasReplacedInTransit() throws Exception {
    try (TestNode a = new TestNode(TestNode.patient().withSecret(SECRET))) {
      CompletableFuture<Established> connect = connect(a);
      try (RawConnection wire = accept()) {
        answerWithProof(wire, SECRET, true);
        assertEquals(Reason.SECRET_MISMATCH, ((Refuse) wire.receive()).reason());
      }
      assertEquals(Reason.SECRET_MISMATCH, HandshakerTest.reasonOf(connect));
      assertFalse(broughtUp.get());
    }
  }

  @Test
  void shouldTalkToAnAcceptorThatProvesTheSecret() throws Exception {
    try (TestNode a = new TestNode(TestNode.patient().withSecret(SECRET))) {
      CompletableFuture<Established> connect = connect(a);
      try (RawConnection peer = accept()) {
        answerWithProof(peer, SECRET, false);
        Ready ready = assertInstanceOf(Ready.class, peer.receive());
        peer.send(ready);
        assertEquals(PEER, connect.get(TestNode.PATIENCE_S, TimeUnit.SECONDS).peer());
      }
    }
  }

  private static void answerWithProof(RawConnection peer, SharedSecret secret, boolean tampered)
      throws Exception {
    byte[] hello = peer.receiveBytes();
    ConnectionNonce nonce = ((Hello) HandshakeFrame.decode(hello)).nonce();
    byte[] challenge = new Challenge(nonce, new byte[Challenge.RANDOM_BYTES]).encode();
    peer.send(challenge);
    Proof claimed = assertInstanceOf(Proof.class, peer.receive());
    assertEquals(
        secret == SECRET,
        SharedSecret.matches(new Proof(nonce, secret.proveConnector(hello, challenge)), claimed));
    byte[] back = answer(HandshakeFrame.decode(hello)).encode();
    byte[] mac = secret.proveAcceptor(hello, challenge, back);
    if (tampered) {
      back[Hello.QP_NUMBER_OFFSET + 3] ^= 1;
      HandshakeFrameHeader.seal(ByteBuffer.wrap(back));
    }
    peer.send(back).send(new Proof(nonce, mac));
  }

  @Test
  void shouldFailWithoutRetryWhenThePeerVanishesAfterItsAnswer() throws Exception {
    try (TestNode a = new TestNode(TestNode.patient())) {
      CompletableFuture<Established> connect = connect(a);
      try (RawConnection peer = accept()) {
        Hello hello = (Hello) peer.receive();
        peer.send(answer(hello));
        peer.receive();
      }
      assertEquals(Reason.PEER_CLOSED, HandshakerTest.reasonOf(connect));
      assertEquals(1, a.count(Counter.DIALED));
    }
  }

  @Test
  void shouldGiveUpWhenTheFutureIsCancelled() throws Exception {
    try (TestNode a = new TestNode(TestNode.patient())) {
      CompletableFuture<Established> connect = connect(a);
      try (RawConnection peer = accept()) {
        peer.receive();
        connect.cancel(false);
        peer.awaitEnd();
      }
      assertThrows(CancellationException.class, connect::join);
      Awaitility.await()
          .atMost(TestNode.PATIENCE_S, TimeUnit.SECONDS)
          .until(() -> a.count(Counter.CONNECTING) == 0);
      assertEquals(1, a.handshaker.counters().outboundFailures(Reason.CANCELLED));
    }
  }
}
