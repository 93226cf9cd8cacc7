// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.handshake.HandshakeCounters.Counter;
import io.meshtransport.handshake.HandshakeException.Reason;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Two handshakers on loopback: what each side sees of a handshake that goes well or is refused.
 *
 * <p>Also tests {@link AcceptCallback}, {@link BringUp}, {@link InboundConnections}, {@link
 * InboundHandshake}, {@link OutboundConnection}, {@link OutboundExchange}, {@link
 * OutboundHandshake} and {@link Transcript}.
 */
class HandshakerTest {
  private static final HandshakeSettings PATIENT = TestNode.patient();

  static Reason reasonOf(CompletableFuture<Established> connect) throws Exception {
    ExecutionException failed =
        assertThrows(
            ExecutionException.class, () -> connect.get(TestNode.PATIENCE_S, TimeUnit.SECONDS));
    return ((HandshakeException) failed.getCause()).reason();
  }

  @Test
  void shouldExchangeEndpointsAndNotifyBothSides() throws Exception {
    try (TestNode a = new TestNode(PATIENT);
        TestNode b = new TestNode(PATIENT)) {
      AtomicReference<QueuePairAddress> seen = new AtomicReference<>();
      Established outcome =
          a.handshaker
              .connect(a.requestTo(b, 77), (nonce, peer) -> seen.set(peer))
              .get(TestNode.PATIENCE_S, TimeUnit.SECONDS);

      assertEquals(b.id, outcome.peer());
      assertEquals(TestNode.endpoint(1), outcome.peerEndpoint());
      assertEquals(TestNode.endpoint(1), seen.get());
      assertEquals(1, outcome.attempts());
      assertEquals(b.handshaker.port(), outcome.remote().getPort());
      assertEquals(
          new PeerHello(outcome.nonce(), a.id, 1, 0, TestNode.endpoint(77)),
          b.offered.get(outcome.nonce()));
      // The acceptor knows before the connector does.
      assertTrue(b.established.contains(outcome.nonce()));
      Awaitility.await()
          .atMost(TestNode.PATIENCE_S, TimeUnit.SECONDS)
          .untilAsserted(
              () -> {
                assertEquals(0, a.count(Counter.OPEN_CONNECTIONS));
                assertEquals(0, b.count(Counter.OPEN_CONNECTIONS));
                assertEquals(0, b.count(Counter.HALF_OPEN));
                assertEquals(0, a.count(Counter.CONNECTING));
              });
    }
  }

  @Test
  @Tag("slow")
  void shouldConnectTenThousandPairsAtTheSameInstantInBothDirections() throws Exception {
    int pairs = 10_000;
    try (TestNode a = new TestNode(PATIENT);
        TestNode b = new TestNode(PATIENT)) {
      List<CompletableFuture<Established>> connects = new ArrayList<>(2 * pairs);
      long startedNs = System.nanoTime();
      for (int i = 0; i < pairs; i++) {
        connects.add(a.connectTo(b, i));
        connects.add(b.connectTo(a, i));
      }
      CompletableFuture.allOf(connects.toArray(CompletableFuture[]::new))
          .get(TestNode.PATIENCE_S, TimeUnit.SECONDS);
      System.out.printf(
          "%d connects in both directions: %d ms%n",
          2 * pairs, TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startedNs));
      assertEquals(pairs, a.established.size());
      assertEquals(pairs, b.established.size());
      assertEquals(pairs, a.count(Counter.ESTABLISHED_OUTBOUND));
      assertEquals(pairs, b.count(Counter.ESTABLISHED_OUTBOUND));
    }
  }

  @Test
  void shouldNotDeadlockWhenBothSidesHaveOnePlaceOnly() throws Exception {
    HandshakeSettings tight = TestNode.patient(1).withSecret(SharedSecret.of("correct horse"));
    int pairs = 200;
    try (TestNode a = new TestNode(tight);
        TestNode b = new TestNode(tight)) {
      List<CompletableFuture<Established>> connects = new ArrayList<>(2 * pairs);
      for (int i = 0; i < pairs; i++) {
        connects.add(a.connectTo(b, i));
        connects.add(b.connectTo(a, i));
      }
      CompletableFuture.allOf(connects.toArray(CompletableFuture[]::new))
          .get(TestNode.PATIENCE_S, TimeUnit.SECONDS);
      assertEquals(pairs, a.established.size());
      assertEquals(pairs, b.established.size());
    }
  }

  @Test
  @Tag("slow")
  void shouldSayBusyAtOnceWhenTooManyConnectsAreUnfinished() throws Exception {
    try (java.net.ServerSocket silent = new java.net.ServerSocket(0)) {
      List<CompletableFuture<Established>> connects = new ArrayList<>();
      try (TestNode a = new TestNode(TestNode.patient(1))) {
        ConnectRequest request = a.requestTo(a.id, silent.getLocalPort(), 1);
        for (int i = 0; i < Dialer.MAX_CONNECTS; i++) {
          connects.add(a.handshaker.connect(request, (n, e) -> {}));
        }
        assertEquals(Reason.BUSY, reasonOf(a.handshaker.connect(request, (n, e) -> {})));
      }
      for (CompletableFuture<Established> connect : connects) {
        assertTrue(connect.isCompletedExceptionally());
      }
    }
  }

  @Test
  void shouldSayThatAnotherNodeAnswers() throws Exception {
    try (TestNode a = new TestNode(PATIENT);
        TestNode b = new TestNode(PATIENT)) {
      ConnectRequest request = a.requestTo(a.id, b.handshaker.port(), 1);
      assertEquals(Reason.WRONG_NODE, reasonOf(a.handshaker.connect(request, (n, e) -> {})));
      assertEquals(1, b.handshaker.counters().inboundFailures(Reason.WRONG_NODE));
      assertEquals(1, a.handshaker.counters().outboundFailures(Reason.WRONG_NODE));
      assertEquals(
          "CONNECTS 1, DIALED 1, outbound WRONG_NODE 1",
          settled(a).handshaker.counters().toString());
      assertTrue(b.offered.isEmpty());
    }
  }

  private static TestNode settled(TestNode node) {
    Awaitility.await()
        .atMost(TestNode.PATIENCE_S, TimeUnit.SECONDS)
        .until(
            () -> node.count(Counter.CONNECTING) == 0 && node.count(Counter.OPEN_CONNECTIONS) == 0);
    return node;
  }

  @Test
  void shouldConnectWhenBothShareTheSecret() throws Exception {
    HandshakeSettings secret = PATIENT.withSecret(SharedSecret.of("correct horse"));
    try (TestNode a = new TestNode(secret);
        TestNode b = new TestNode(secret)) {
      Established outcome = a.connectTo(b, 1).get(TestNode.PATIENCE_S, TimeUnit.SECONDS);
      assertTrue(b.established.contains(outcome.nonce()));
    }
  }

  @Test
  void shouldRefuseOnBothSidesWhenOnlyTheAcceptorHasASecret() throws Exception {
    refuseForSecret(
        PATIENT, PATIENT.withSecret(SharedSecret.of("correct horse")), Reason.SECRET_MISSING);
  }

  @Test
  void shouldRefuseOnBothSidesWhenOnlyTheConnectorHasASecret() throws Exception {
    refuseForSecret(
        PATIENT.withSecret(SharedSecret.of("correct horse")), PATIENT, Reason.SECRET_UNEXPECTED);
  }

  @Test
  void shouldRefuseOnBothSidesWhenSecretsDiffer() throws Exception {
    refuseForSecret(
        PATIENT.withSecret(SharedSecret.of("correct horse")),
        PATIENT.withSecret(SharedSecret.of("battery staple")),
        Reason.SECRET_MISMATCH);
  }

  @Test
  void shouldWarnOnceThatAHostHasAnotherSecret() throws Exception {
    try (LogWatch watch = new LogWatch();
        TestNode a = new TestNode(PATIENT.withSecret(SharedSecret.of("correct horse")));
        TestNode b = new TestNode(PATIENT.withSecret(SharedSecret.of("battery staple")))) {
      for (int i = 0; i < 3; i++) {
        assertEquals(Reason.SECRET_MISMATCH, reasonOf(a.connectTo(b, i)));
      }
      assertEquals(1, watch.alarms().size(), watch.alarms().toString());
      String warning = watch.alarms().get(0);
      assertTrue(warning.contains("127.0.0.1 was refused"), warning);
      assertTrue(warning.contains("Set the same one on both"), warning);
    }
  }

  private static void refuseForSecret(
      HandshakeSettings connector, HandshakeSettings acceptor, Reason reason) throws Exception {
    try (TestNode a = new TestNode(connector);
        TestNode b = new TestNode(acceptor)) {
      assertEquals(reason, reasonOf(a.connectTo(b, 1)));
      assertEquals(1, a.handshaker.counters().outboundFailures(reason));
      assertEquals(1, b.handshaker.counters().inboundFailures(reason));
      assertTrue(b.offered.isEmpty(), "no queue pair before the proof");
    }
  }

  @Test
  void shouldReportThatNoListenerIsThere() throws Exception {
    int port;
    try (TestNode gone = new TestNode(PATIENT)) {
      port = gone.handshaker.port();
    }
    try (TestNode a = new TestNode(PATIENT)) {
      ConnectRequest request = a.requestTo(a.id, port, 1);
      CompletionException failed =
          assertThrows(
              CompletionException.class, () -> a.handshaker.connect(request, (n, e) -> {}).join());
      HandshakeException why = (HandshakeException) failed.getCause();
      assertEquals(Reason.PEER_UNREACHABLE, why.reason());
      assertTrue(why.getMessage().contains("is up and refuses"), why.getMessage());
      assertEquals(java.net.ConnectException.class, why.getCause().getClass(), "not Netty's");
    }
  }

  @Test
  void shouldSendTheConnectorTheReasonOfARefusal() throws Exception {
    HandshakeException why = refusal(new RefusedException("no queue pairs left"));
    assertEquals(Reason.REFUSED_BY_PEER, why.reason());
    assertTrue(why.getMessage().contains("no queue pairs left"), why.getMessage());
  }

  @Test
  void shouldTellTheConnectorThatARetryHelpsWhereThereIsNoRoomNow() throws Exception {
    HandshakeException why = refusal(RefusedException.busy("too many wait"));
    assertEquals(Reason.BUSY, why.reason());
    assertTrue(why.reason().retryHelps());
    assertTrue(why.getMessage().contains("too many wait"), why.getMessage());
  }

  /** What a connector gets whom the acceptor refuses so. */
  private static HandshakeException refusal(RefusedException refused) throws Exception {
    Acceptor refusing =
        new Acceptor() {
          @Override
          public QueuePairAddress offer(
              PeerHello hello, java.net.InetSocketAddress local, java.net.InetSocketAddress remote)
              throws RefusedException {
            throw refused;
          }

          @Override
          public void established(ConnectionNonce nonce) {}

          @Override
          public void abandoned(ConnectionNonce nonce, HandshakeException why) {}
        };
    try (TestNode a = new TestNode(PATIENT);
        TestNode b = new TestNode(PATIENT, refusing)) {
      CompletionException failed =
          assertThrows(CompletionException.class, () -> a.connectTo(b, 1).join());
      return (HandshakeException) failed.getCause();
    }
  }

  @Test
  void shouldAbandonTheOfferWhenTheConnectorCannotBringUpItsQueuePair() throws Exception {
    try (TestNode a = new TestNode(PATIENT);
        TestNode b = new TestNode(PATIENT)) {
      CompletableFuture<Established> connect =
          a.handshaker.connect(
              a.requestTo(b, 1),
              (nonce, peer) -> {
                throw new RefusedException("RTR refused");
              });
      assertEquals(Reason.REFUSED_HERE, reasonOf(connect));
      Awaitility.await()
          .atMost(TestNode.PATIENCE_S, TimeUnit.SECONDS)
          .until(() -> b.abandoned.size() == 1);
      HandshakeException why = b.abandoned.values().iterator().next();
      assertEquals(Reason.REFUSED_BY_PEER, why.reason());
      assertTrue(why.getMessage().contains("RTR refused"), why.getMessage());
    }
  }

  @Test
  void shouldFailEverythingOutstandingWithClosed() throws Exception {
    HandshakeSettings one = new HandshakeSettings(0, 60_000, 0, 1, Optional.empty());
    try (java.net.ServerSocket silent = new java.net.ServerSocket(0)) {
      TestNode a = new TestNode(one);
      List<CompletableFuture<Established>> connects = new ArrayList<>();
      for (int i = 0; i < 10; i++) {
        connects.add(
            a.handshaker.connect(a.requestTo(a.id, silent.getLocalPort(), i), (n, e) -> {}));
      }
      a.close();
      for (CompletableFuture<Established> connect : connects) {
        assertTrue(connect.isDone());
        assertEquals(Reason.CLOSED, reasonOf(connect));
      }
      assertEquals(Reason.CLOSED, reasonOf(a.handshaker.connect(a.requestTo(a, 1), (n, e) -> {})));
    }
  }
}
