// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.handshake.HandshakeException.Reason;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/**
 * Two handshakers on loopback, of which one looks up the handle of the other.
 *
 * <p>Also tests {@link OutboundQuery} and {@link QuotedBytes}.
 */
class LookupTest {
  private static final HandshakeSettings PATIENT = TestNode.patient();
  private static final int SHORT_MS = 1_000;
  private static final int LONG_MS = 60_000;

  private final AtomicLong passedNs = new AtomicLong();

  private static CompletableFuture<byte[]> ask(TestNode from, TestNode to) {
    return from.handshaker.lookup(
        new LookupRequest(
            new InetSocketAddress(TestNode.LOOPBACK, to.handshaker.port()),
            System.nanoTime() + TimeUnit.SECONDS.toNanos(TestNode.PATIENCE_S)));
  }

  private static byte[] publish(TestNode node) {
    byte[] handle = new PeerHandle(node.id, 1, node.handshaker.port(), List.of()).encode();
    node.handshaker.publish(Optional.of(handle));
    return handle;
  }

  private static void assertTold(HandshakeSettings settings) throws Exception {
    try (TestNode a = new TestNode(settings);
        TestNode b = new TestNode(settings)) {
      byte[] handle = publish(b);
      assertArrayEquals(handle, ask(a, b).get(TestNode.PATIENCE_S, TimeUnit.SECONDS));
      assertTrue(b.offered.isEmpty());
    }
  }

  private static void assertRefused(Reason reason, HandshakeSettings asker, HandshakeSettings asked)
      throws Exception {
    try (TestNode a = new TestNode(asker);
        TestNode b = new TestNode(asked)) {
      publish(b);
      ExecutionException failed =
          assertThrows(
              ExecutionException.class, () -> ask(a, b).get(TestNode.PATIENCE_S, TimeUnit.SECONDS));
      assertEquals(reason, ((HandshakeException) failed.getCause()).reason());
    }
  }

  @Test
  void shouldAnswerWithItsHandle() throws Exception {
    assertTold(PATIENT);
  }

  @Test
  void shouldAnswerWithItsHandleToANodeThatKnowsTheSecret() throws Exception {
    assertTold(PATIENT.withSecret(SharedSecret.of("correct horse")));
  }

  @Test
  void shouldRefuseForTheSecret() throws Exception {
    HandshakeSettings one = PATIENT.withSecret(SharedSecret.of("correct horse"));
    HandshakeSettings other = PATIENT.withSecret(SharedSecret.of("battery staple"));
    assertRefused(Reason.SECRET_MISSING, PATIENT, one);
    assertRefused(Reason.SECRET_UNEXPECTED, one, PATIENT);
    assertRefused(Reason.SECRET_MISMATCH, one, other);
  }

  @Test
  void shouldSayThatNothingListens() throws Exception {
    try (TestNode a = new TestNode(PATIENT);
        TestNode b = new TestNode(PATIENT)) {
      ExecutionException failed =
          assertThrows(
              ExecutionException.class, () -> ask(a, b).get(TestNode.PATIENCE_S, TimeUnit.SECONDS));
      assertEquals(Reason.NOT_LISTENING, ((HandshakeException) failed.getCause()).reason());
    }
  }

  @Test
  void shouldSayThatOthersWereBeforeItWhereItsTurnDoesNotCome() throws Exception {
    try (TestNode a = new TestNode(TestNode.patient(1));
        ServerSocket silent = new ServerSocket(0, 1, TestNode.LOOPBACK)) {
      InetSocketAddress there = (InetSocketAddress) silent.getLocalSocketAddress();
      long nowNs = System.nanoTime();
      CompletableFuture<byte[]> first =
          a.handshaker.lookup(
              new LookupRequest(there, nowNs + TimeUnit.SECONDS.toNanos(TestNode.PATIENCE_S)));
      CompletableFuture<byte[]> second =
          a.handshaker.lookup(new LookupRequest(there, nowNs + TimeUnit.MILLISECONDS.toNanos(1)));
      ExecutionException failed =
          assertThrows(
              ExecutionException.class, () -> second.get(TestNode.PATIENCE_S, TimeUnit.SECONDS));
      HandshakeException why = (HandshakeException) failed.getCause();
      assertEquals(Reason.TIMED_OUT, why.reason());
      assertTrue(why.getMessage().contains("1 connects and lookups on the wire"), why.getMessage());
      first.cancel(false);
    }
  }

  private interface Foreign {
    void talk(RawConnection connection) throws Exception;
  }

  /**
   * The failure of a lookup at a port where other software has each connection. No time passes for
   * the node but that of {@link #passedNs}.
   *
   * @param connections that it has, at least one
   */
  private HandshakeException foreign(int connections, int limitMs, Foreign software)
      throws Exception {
    long begunNs = System.nanoTime();
    try (TestNode a = new TestNode(PATIENT, () -> begunNs + passedNs.get());
        ServerSocket port = new ServerSocket(0, 1, TestNode.LOOPBACK)) {
      InetSocketAddress there = (InetSocketAddress) port.getLocalSocketAddress();
      CompletableFuture<byte[]> lookup =
          a.handshaker.lookup(
              new LookupRequest(there, begunNs + TimeUnit.MILLISECONDS.toNanos(limitMs)));
      for (int i = 0; i < connections; i++) {
        try (RawConnection connection = new RawConnection(port.accept())) {
          software.talk(connection);
        }
      }
      ExecutionException failed =
          assertThrows(
              ExecutionException.class, () -> lookup.get(TestNode.PATIENCE_S, TimeUnit.SECONDS));
      HandshakeException why = (HandshakeException) failed.getCause();
      String where = TestNode.LOOPBACK.getHostAddress() + " port " + port.getLocalPort();
      assertTrue(why.getMessage().contains(" at " + where + " "), why.getMessage());
      for (OutboundState state : OutboundState.values()) {
        assertFalse(why.getMessage().contains(state.name() + ","), why.getMessage());
      }
      for (DialState state : DialState.values()) {
        assertFalse(why.getMessage().contains("While " + state), why.getMessage());
      }
      assertEquals(connections, a.count(HandshakeCounters.Counter.DIALED));
      return why;
    }
  }

  @Test
  void shouldQuoteWhatOtherSoftwareSays() throws Exception {
    HandshakeException why =
        foreign(
            1,
            LONG_MS,
            connection -> {
              connection.send("SSH-2.0-other\r\n".getBytes(StandardCharsets.US_ASCII));
              connection.awaitEnd();
            });
    assertEquals(Reason.GARBAGE, why.reason());
    assertFalse(why.retryHelps());
    assertTrue(
        why.getMessage()
            .contains("is no mesh transport: it says \"SSH-2.0-other\\x0d\\x0a\". Check"),
        why.getMessage());
  }

  @Test
  void shouldNotCallADamagedAnswerOtherSoftware() throws Exception {
    HandshakeException why =
        foreign(
            1,
            LONG_MS,
            connection -> {
              byte[] answer = connection.receiveBytes();
              answer[answer.length - 1] ^= 1;
              connection.send(answer);
              connection.awaitEnd();
            });
    assertEquals(Reason.GARBAGE, why.reason());
    assertFalse(why.getMessage().contains("it says"), why.getMessage());
  }

  @Test
  void shouldSayThatSomethingClosesWithoutAnAnswer() throws Exception {
    HandshakeException why =
        foreign(1 + PATIENT.retryCount(), LONG_MS, RawConnection::receiveBytes);
    assertEquals(Reason.PEER_CLOSED, why.reason());
    assertTrue(why.retryHelps());
    assertTrue(why.getMessage().contains("closes without an answer"), why.getMessage());
  }

  @Test
  void shouldNotTryAgainWhereSomethingClosesAfterAWhile() throws Exception {
    HandshakeException why =
        foreign(
            1,
            LONG_MS,
            connection -> {
              connection.receiveBytes();
              passedNs.set(LookupRequest.MAX_DROP_NS + 1);
            });
    assertEquals(Reason.PEER_CLOSED, why.reason());
    assertTrue(why.getMessage().contains("closes without an answer"), why.getMessage());
  }

  @Test
  void shouldSayThatSomethingTakesTheConnectionAndIsSilent() throws Exception {
    HandshakeException why = foreign(1, SHORT_MS, RawConnection::awaitEnd);
    assertEquals(Reason.TIMED_OUT, why.reason());
    assertTrue(why.retryHelps());
    assertTrue(why.getMessage().contains("says nothing"), why.getMessage());
  }

  @Test
  void shouldUseAnotherPortOnlyWhereItMay() throws Exception {
    try (TestNode first = new TestNode(PATIENT)) {
      HandshakeSettings taken = PATIENT.withPort(first.handshaker.port());
      HandshakeException refused =
          assertThrows(HandshakeException.class, () -> new TestNode(taken));
      assertEquals(Reason.LOCAL_SOCKET, refused.reason());

      try (TestNode second = new TestNode(taken.orAnyPort(true))) {
        assertNotEquals(first.handshaker.port(), second.handshaker.port());
        byte[] handle = publish(second);
        assertArrayEquals(handle, ask(first, second).get(TestNode.PATIENCE_S, TimeUnit.SECONDS));
      }
    }
  }
}
