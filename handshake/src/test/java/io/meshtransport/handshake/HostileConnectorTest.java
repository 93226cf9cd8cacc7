// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.handshake.HandshakeCounters.Counter;
import io.meshtransport.handshake.HandshakeException.Reason;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * An acceptor among foreign connections: each is refused and counted, and none delays a real peer.
 *
 * <p>Also tests {@link InboundConnection}, {@link RemoteHost} and {@link SecretWarnings}.
 */
class HostileConnectorTest {
  private static final HandshakeSettings PATIENT = TestNode.patient();

  private static ConditionFactory await() {
    return Awaitility.with()
        .pollInterval(1, TimeUnit.MILLISECONDS)
        .await()
        .atMost(TestNode.PATIENCE_S, TimeUnit.SECONDS);
  }

  /** With a second for HELLO, as usual. */
  private static final HandshakeSettings USUAL =
      new HandshakeSettings(0, PATIENT.timeoutMs(), 3, 256, Optional.empty());

  /** A good HELLO to this node, with a nonce of this number. */
  private static Hello hello(TestNode to, long number) {
    return new Hello(
        HandshakeFrameType.HELLO_CONNECT,
        Samples.SENDER,
        to.id,
        new ConnectionNonce(7, number),
        0,
        0,
        0,
        TestNode.endpoint(0xA1A2A3));
  }

  private static Reason refusalOf(RawConnection connection) throws Exception {
    return assertInstanceOf(Refuse.class, connection.receive()).reason();
  }

  private static long establishMillis(TestNode from, TestNode to) throws Exception {
    Established outcome = from.connectTo(to, 1).get(TestNode.PATIENCE_S, TimeUnit.SECONDS);
    return TimeUnit.NANOSECONDS.toMillis(outcome.durationNs());
  }

  private static String distribution(List<Long> millis) {
    List<Long> sorted = millis.stream().sorted().toList();
    return "%d times, p50 %d ms, p99 %d ms, max %d ms"
        .formatted(
            sorted.size(),
            sorted.get(sorted.size() / 2),
            sorted.get(sorted.size() * 99 / 100),
            sorted.get(sorted.size() - 1));
  }

  @Test
  @Tag("slow")
  void shouldServeARealPeerWhileAThousandConnectionsAreIdleAndOthersDripOrSpeakGarbage()
      throws Exception {
    List<RawConnection> outsiders = new ArrayList<>();
    try (TestNode a = new TestNode(PATIENT);
        TestNode b = new TestNode(USUAL)) {
      List<Long> aloneMs = new ArrayList<>();
      for (int i = 0; i < 200; i++) {
        aloneMs.add(establishMillis(a, b));
      }
      for (int i = 0; i < 1000; i++) {
        outsiders.add(RawConnection.to(b));
      }
      for (int i = 0; i < 100; i++) {
        outsiders.add(RawConnection.to(b).send(new byte[] {'M'}));
        outsiders.add(RawConnection.to(b).send(new byte[] {'G', 'E', 'T'}));
      }
      await().until(() -> b.count(Counter.ACCEPTED) >= 1200 + a.count(Counter.DIALED));
      List<Long> amongMs = new ArrayList<>();
      do {
        amongMs.add(establishMillis(a, b));
      } while (b.count(Counter.OPEN_CONNECTIONS) > 100);
      System.out.printf(
          "handshake alone: %s; among 1200 outsiders: %s%n",
          distribution(aloneMs), distribution(amongMs));
      assertEquals(0, b.handshaker.counters().inboundFailures(Reason.TIMED_OUT));
      // None of them is waited for longer than for a HELLO, nor one whose garbage was late.
      await()
          .until(
              () ->
                  b.count(Counter.HELLO_TIMED_OUT)
                          + b.handshaker.counters().inboundFailures(Reason.GARBAGE)
                      >= 1200);
      assertTrue(b.handshaker.counters().inboundFailures(Reason.GARBAGE) > 0);
      await().until(() -> b.count(Counter.OPEN_CONNECTIONS) == 0);
    } finally {
      for (RawConnection outsider : outsiders) {
        outsider.close();
      }
    }
  }

  @Test
  @Tag("slow")
  void shouldDropAConnectionThatSendsAByteNowAndThen() throws Exception {
    try (TestNode b = new TestNode(USUAL);
        RawConnection slow = RawConnection.to(b)) {
      slow.send(new byte[] {'M', 'E'});
      slow.awaitEnd();
      assertEquals(1, b.count(Counter.HELLO_TIMED_OUT));
    }
  }

  @Test
  void shouldDropTheOldestSilentConnectionWhenThereAreTooMany() throws Exception {
    List<RawConnection> silent = new ArrayList<>();
    try (TestNode b = new TestNode(TestNode.patient(1))) {
      for (int i = 0; i <= HandshakeSettings.PRE_HELLO_PER_HALF_OPEN; i++) {
        silent.add(RawConnection.to(b));
      }
      silent.get(0).awaitEnd();
      assertEquals(1, b.count(Counter.EVICTED));
    } finally {
      for (RawConnection connection : silent) {
        connection.close();
      }
    }
  }

  @Test
  void shouldRefuseTheWireOfTheCPluginByItsFirstByte() throws Exception {
    try (TestNode b = new TestNode(PATIENT);
        RawConnection legacy = RawConnection.to(b)) {
      legacy.send(new byte[] {0});
      legacy.awaitEnd();
      assertEquals(1, b.handshaker.counters().inboundFailures(Reason.LEGACY));
    }
  }

  @Test
  void shouldSendAnotherVersionTheReason() throws Exception {
    try (TestNode b = new TestNode(PATIENT);
        RawConnection other = RawConnection.to(b)) {
      byte[] frame = hello(b, 1).encode();
      frame[HandshakeFrameHeader.VERSION_OFFSET] = 9;
      other.send(frame);
      assertEquals(Reason.VERSION, refusalOf(other));
      assertEquals(1, b.handshaker.counters().inboundFailures(Reason.VERSION));
    }
  }

  @Test
  @Tag("slow")
  void shouldCountEveryDamagedHelloAndLoseNothingOverIt() throws Exception {
    try (LogWatch watch = new LogWatch();
        TestNode a = new TestNode(PATIENT);
        TestNode b = new TestNode(PATIENT)) {
      List<byte[]> hellos = Samples.damaged(hello(b, 1).encode());
      Random random = new Random(Samples.seed());
      for (int i = 0; i < 2000; i++) {
        hellos.add(Samples.random(random));
      }
      for (byte[] damaged : hellos) {
        try (RawConnection outsider = RawConnection.to(b)) {
          outsider.sendLast(damaged);
          outsider.awaitEnd();
        }
      }
      establishMillis(a, b);
      await().until(() -> b.count(Counter.OPEN_CONNECTIONS) == 0);
      assertEquals(hellos.size() + 1, b.count(Counter.ACCEPTED));
      assertEquals(
          hellos.size(),
          b.handshaker.counters().inboundFailures()
              + b.count(Counter.CLOSED_BEFORE_HELLO)
              + b.count(Counter.HELLO_TIMED_OUT));
      assertEquals(1, b.offered.size(), "no queue pair for an outsider");
      assertEquals(List.of(), watch.alarms());
    }
  }

  @Test
  void shouldRefuseANonceThatWasUsedBefore() throws Exception {
    try (TestNode b = new TestNode(PATIENT)) {
      Hello hello = hello(b, 1);
      try (RawConnection first = RawConnection.to(b).send(hello)) {
        assertInstanceOf(Hello.class, first.receive());
      }
      try (RawConnection second = RawConnection.to(b).send(hello)) {
        assertEquals(Reason.REPLAY, refusalOf(second));
      }
      assertEquals(1, b.handshaker.counters().inboundFailures(Reason.REPLAY));
    }
  }

  @Test
  void shouldOfferAtMostTheAllowedNumberAtOnceAndTheRestInOrderOfArrival() throws Exception {
    List<RawConnection> peers = new ArrayList<>();
    try (TestNode b = new TestNode(TestNode.patient(1))) {
      for (int i = 0; i < 5; i++) {
        peers.add(RawConnection.to(b).send(hello(b, i)));
        long arrived = i + 1;
        await().until(() -> b.count(Counter.HALF_OPEN) + b.count(Counter.QUEUED) == arrived);
      }
      for (int i = 0; i < 5; i++) {
        // Only this one was offered a queue pair; the others still wait.
        Hello back = assertInstanceOf(Hello.class, peers.get(i).receive());
        assertEquals(new ConnectionNonce(7, i), back.nonce());
        assertEquals(i + 1, b.offered.size());
        assertEquals(1, b.count(Counter.HALF_OPEN));
        peers.get(i).send(new Ready(back.nonce()));
        assertEquals(new Ready(back.nonce()), peers.get(i).receive());
        peers.get(i).awaitEnd();
      }
      assertEquals(5, b.established.size());
    } finally {
      for (RawConnection peer : peers) {
        peer.close();
      }
    }
  }

  @Test
  void shouldReportBusyWhenEvenAHostsShareOfTheQueueIsFull() throws Exception {
    List<RawConnection> peers = new ArrayList<>();
    try (TestNode b = new TestNode(TestNode.patient(1))) {
      int bearable = 1 + HandshakeSettings.PRE_HELLO_PER_HALF_OPEN / HalfOpenPermits.HOSTS_FOR_ALL;
      for (int i = 0; i < bearable; i++) {
        peers.add(RawConnection.to(b).send(hello(b, i)));
        long arrived = i + 1;
        await().until(() -> b.count(Counter.HALF_OPEN) + b.count(Counter.QUEUED) == arrived);
      }
      peers.add(RawConnection.to(b).send(hello(b, bearable)));
      assertEquals(Reason.BUSY, refusalOf(peers.get(bearable)));
    } finally {
      for (RawConnection peer : peers) {
        peer.close();
      }
    }
  }

  @Test
  @Tag("slow")
  void shouldGiveTheQueuePairBackWhenThePeerNeverGetsReady() throws Exception {
    HandshakeSettings hasty = new HandshakeSettings(0, 1500, 0, 256, Optional.empty());
    try (TestNode b = new TestNode(hasty);
        RawConnection peer = RawConnection.to(b).send(hello(b, 1))) {
      assertInstanceOf(Hello.class, peer.receive());
      assertEquals(Reason.TIMED_OUT, refusalOf(peer));
      await().until(() -> b.abandoned.size() == 1);
      assertEquals(Reason.TIMED_OUT, b.abandoned.get(new ConnectionNonce(7, 1)).reason());
      await().until(() -> b.count(Counter.HALF_OPEN) == 0);
      assertTrue(b.established.isEmpty());
    }
  }

  @Test
  void shouldGiveTheQueuePairBackWhenThePeerVanishes() throws Exception {
    try (TestNode b = new TestNode(PATIENT)) {
      try (RawConnection peer = RawConnection.to(b).send(hello(b, 1))) {
        assertInstanceOf(Hello.class, peer.receive());
      }
      await().until(() -> b.abandoned.size() == 1);
      assertEquals(Reason.PEER_CLOSED, b.abandoned.get(new ConnectionNonce(7, 1)).reason());
    }
  }

  @Test
  void shouldRefuseFramesOutOfTurn() throws Exception {
    try (TestNode b = new TestNode(PATIENT)) {
      List<HandshakeFrame> early =
          List.of(
              new Ready(Samples.NONCE),
              new Proof(Samples.NONCE, new byte[SharedSecret.MAC_BYTES]),
              new Challenge(Samples.NONCE, new byte[Challenge.RANDOM_BYTES]),
              Samples.hello(HandshakeFrameType.HELLO_ACCEPT));
      for (HandshakeFrame frame : early) {
        try (RawConnection peer = RawConnection.to(b).send(frame)) {
          assertEquals(Reason.GARBAGE, refusalOf(peer));
        }
      }
      // A second HELLO on the same connection, and READY of another connection.
      for (HandshakeFrame second : List.of(hello(b, 3), new Ready(new ConnectionNonce(9, 9)))) {
        long number = b.offered.size();
        try (RawConnection peer = RawConnection.to(b).send(hello(b, 100 + number))) {
          assertInstanceOf(Hello.class, peer.receive());
          peer.send(second);
          assertEquals(Reason.GARBAGE, refusalOf(peer));
        }
      }
      await().until(() -> b.abandoned.size() == 2);
    }
  }

  @Test
  void shouldRefuseAProofOfAnotherConnection() throws Exception {
    SharedSecret secret = SharedSecret.of("correct horse");
    try (TestNode b = new TestNode(PATIENT.withSecret(secret))) {
      byte[] hello = withSecret(hello(b, 1)).encode();
      byte[] proof;
      try (RawConnection peer = RawConnection.to(b).send(hello)) {
        byte[] challenge = peer.receiveBytes();
        proof =
            new Proof(new ConnectionNonce(7, 1), secret.proveConnector(hello, challenge)).encode();
        // Left before the proof, so that the nonce is not known yet: only the challenge is new.
      }
      try (RawConnection peer = RawConnection.to(b).send(hello)) {
        assertInstanceOf(Challenge.class, peer.receive());
        peer.send(proof);
        assertEquals(Reason.SECRET_MISMATCH, refusalOf(peer));
      }
      assertTrue(b.offered.isEmpty());
    }
  }

  @Test
  void shouldProveTheSecretToAPeerThatDid() throws Exception {
    SharedSecret secret = SharedSecret.of("correct horse");
    try (TestNode b = new TestNode(PATIENT.withSecret(secret))) {
      byte[] hello = withSecret(hello(b, 1)).encode();
      try (RawConnection peer = RawConnection.to(b).send(hello)) {
        byte[] challenge = peer.receiveBytes();
        ConnectionNonce nonce = new ConnectionNonce(7, 1);
        peer.send(new Proof(nonce, secret.proveConnector(hello, challenge)));
        byte[] back = peer.receiveBytes();
        Proof proof = assertInstanceOf(Proof.class, peer.receive());
        assertTrue(
            SharedSecret.matches(
                new Proof(nonce, secret.proveAcceptor(hello, challenge, back)), proof));
      }
    }
  }

  private static Hello withSecret(Hello hello) throws WireException {
    byte[] frame = hello.encode();
    frame[Hello.CAPABILITIES_OFFSET + 3] = OpeningFrame.CAPABILITY_SECRET;
    return (Hello) HandshakeFrame.decode(HandshakeFrameHeader.seal(ByteBuffer.wrap(frame)));
  }
}
