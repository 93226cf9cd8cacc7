// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.spi.ConnectOptions;
import io.meshtransport.spi.Connection;
import io.meshtransport.spi.InMemoryTransport;
import io.meshtransport.spi.Listener;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Also tests {@link ReconnectPauses}. */
class PeerLifeTest {
  private static final long FIRST_NS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final long LONGEST_NS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final SessionOptions OPTIONS =
      SessionOptions.DEFAULT.reconnect(
          SessionNode.SOON, Duration.ofNanos(FIRST_NS), Duration.ofNanos(LONGEST_NS));

  private final InMemoryTransport transport = new InMemoryTransport("a");
  private final InMemoryTransport peer = new InMemoryTransport("b");
  private final PeerLife life = new PeerLife("b", OPTIONS, 0);
  private Link link;

  @BeforeEach
  void connect() throws Exception {
    Listener listener = peer.listen();
    Connection connection =
        transport.connect(listener.handle(), ConnectOptions.DEFAULT, SessionNode.SOON);
    link = new Link(() -> false, 0, connection, true, transport, OPTIONS);
  }

  @AfterEach
  void close() {
    transport.close();
    peer.close();
  }

  private static TransportException why(Reason reason) {
    return new TransportException(reason, "in this test");
  }

  private void openAt(long nowNs) {
    assertTrue(life.open(link, nowNs).isOpen());
  }

  @Test
  void shouldPauseWhereConnectionsDoNotLast() {
    life.connectNow(0);
    openAt(0);
    assertTrue(life.ended(link, why(Reason.PEER_GONE), 1, false).wasOpen());
    assertFalse(life.isAttemptDue(FIRST_NS));
    assertTrue(life.isAttemptDue(1 + FIRST_NS));
    assertEquals(1 + FIRST_NS, life.nextDueNs());
    openAt(FIRST_NS);
    life.ended(link, why(Reason.PEER_GONE), FIRST_NS, false);
    assertFalse(life.isAttemptDue(3 * FIRST_NS - 1), "the pause has doubled");
    assertTrue(life.isAttemptDue(3 * FIRST_NS));
  }

  @Test
  void shouldConnectAtOnceWhereTheConnectionHasLasted() {
    life.connectNow(0);
    openAt(0);
    life.ended(link, why(Reason.PEER_GONE), LONGEST_NS, false);
    assertTrue(life.isAttemptDue(LONGEST_NS));
  }

  @Test
  void shouldNotConnectAgainAfterAGoodbyeUnlessSomethingWaits() {
    life.connectNow(0);
    openAt(0);
    life.ended(link, why(Reason.PEER_CLOSED), LONGEST_NS, false);
    assertFalse(life.isAttemptDue(Long.MAX_VALUE / 2));
    assertEquals(Long.MAX_VALUE, life.nextDueNs());
    assertTrue(life.need());
    openAt(0);
    life.ended(link, why(Reason.PEER_CLOSED), LONGEST_NS, true);
    assertTrue(life.isAttemptDue(LONGEST_NS));
  }

  @Test
  void shouldGiveUpAnAttemptThatTakesTooLong() {
    CompletableFuture<Object> attempt = new CompletableFuture<>();
    assertTrue(life.beginAttempt(1_000));
    life.attempting(attempt);
    assertEquals(1_000, life.nextDueNs());
    life.cancelExpiredAttempt(999);
    assertFalse(attempt.isDone());
    life.cancelExpiredAttempt(1_000);
    assertTrue(attempt.isCancelled());
  }

  @Test
  void shouldGiveAConnectionItsOwnTimeForTheWelcome() {
    CompletableFuture<Object> attempt = new CompletableFuture<>();
    life.beginAttempt(1_000);
    life.attempting(attempt);
    assertTrue(life.dialed(attempt, link, 5_000));
    assertEquals(null, life.unwelcome(4_999));
    assertEquals(5_000, life.nextDueNs());
    assertEquals(link, life.unwelcome(5_000));
    assertEquals(null, life.unwelcome(5_000), "until its end is reported");
    assertTrue(life.nextDueNs() > 5_000);
  }

  @Test
  void shouldAdoptAConnectionUnlessThereIsAnother() {
    CompletableFuture<Object> attempt = new CompletableFuture<>();
    life.beginAttempt(1_000);
    life.attempting(attempt);
    CompletableFuture<Object> unnamed = new CompletableFuture<>();
    assertTrue(life.adopt(unnamed, 2_000));
    assertTrue(attempt.isCancelled());
    assertTrue(life.isAttempt(unnamed));
    assertTrue(life.dialed(unnamed, link, 3_000));
    assertTrue(life.isConnectedTo(peer.self().id()));
    assertFalse(life.adopt(new CompletableFuture<>(), 2_000));
    openAt(0);
    assertTrue(life.isConnectedTo(peer.self().id()));
    assertFalse(life.isConnectedTo("another"));
    assertFalse(life.adopt(new CompletableFuture<>(), 2_000));
  }
}
