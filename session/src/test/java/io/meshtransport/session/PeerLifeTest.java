// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
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
import java.util.ArrayList;
import java.util.Optional;
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

  /** Of a process that no test knows. */
  private static final PeerLife.Target TO_PEER = new PeerLife.Target("x", new byte[1]);

  private final InMemoryTransport transport = new InMemoryTransport("a");
  private final InMemoryTransport peer = new InMemoryTransport("b");
  private final InMemoryTransport rival = new InMemoryTransport("b");
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
    rival.close();
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
    life.attempting(attempt, TO_PEER);
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
    life.attempting(attempt, TO_PEER);
    assertTrue(life.dialed(attempt, link, 5_000));
    assertEquals(null, life.unwelcome(4_999));
    assertEquals(link, life.unwelcome(5_000));
    assertEquals(5_000, life.nextDueNs());
  }

  @Test
  void shouldAdoptAConnectionUnlessThereIsAnother() {
    CompletableFuture<Object> attempt = new CompletableFuture<>();
    life.beginAttempt(1_000);
    life.attempting(attempt, TO_PEER);
    CompletableFuture<Object> unnamed = new CompletableFuture<>();
    assertTrue(life.adopt(unnamed, TO_PEER, 2_000));
    assertTrue(attempt.isCancelled());
    assertTrue(life.isAttempt(unnamed));
    assertTrue(life.dialed(unnamed, link, 3_000));
    assertTrue(life.isConnectedTo(peer.self().id()));
    assertFalse(life.adopt(new CompletableFuture<>(), TO_PEER, 2_000));
    openAt(0);
    assertTrue(life.isConnectedTo(peer.self().id()));
    assertFalse(life.isConnectedTo("another"));
    assertFalse(life.adopt(new CompletableFuture<>(), TO_PEER, 2_000));
  }

  /** A connection to another node of the same name. */
  private Link rivalLink() throws Exception {
    Connection connection =
        transport.connect(rival.listen().handle(), ConnectOptions.DEFAULT, SessionNode.SOON);
    return new Link(() -> false, 1, connection, false, transport, OPTIONS);
  }

  private static PeerLife.Target toRival(Link link) {
    return new PeerLife.Target(link.connection.peer().id(), new byte[] {2});
  }

  private PeerLife.Choice offeredAt(long nowNs, Link accepted) {
    return life.offered(accepted, "0", nowNs, nowNs + 900, new ArrayList<>());
  }

  private PeerLife.Target toFirst() {
    return new PeerLife.Target(peer.self().id(), new byte[] {1});
  }

  @Test
  void shouldAskTheNodeThatHasTheNameBeforeItWelcomesAnother() throws Exception {
    openAt(0);
    Link rival = rivalLink();
    life.learnt(peer.self().id(), new byte[] {1});
    assertEquals(PeerLife.Choice.WAIT, offeredAt(100, rival));
    assertEquals(null, life.ended(link, why(Reason.PEER_GONE), 200, false).promoted());
    assertTrue(life.isAttemptDue(200), "the first is called at once");
    assertArrayEquals(new byte[] {1}, life.keptHandle(Optional.empty()).orElseThrow());
    CompletableFuture<Object> attempt = new CompletableFuture<>();
    assertTrue(life.beginAttempt(5_000));
    life.attempting(attempt, toFirst());
    assertEquals(null, life.expiredCandidate(4_000), "it waits for that attempt");
    assertEquals(5_000, life.nextDueNs());
    assertEquals(rival, life.attemptFailed(attempt, why(Reason.TIMED_OUT), 5_000).promoted());
  }

  @Test
  void shouldWelcomeTheNodeThatHasTheNameAgain() throws Exception {
    openAt(0);
    Link rival = rivalLink();
    life.ended(link, why(Reason.PEER_GONE), 100, false);
    assertEquals(PeerLife.Choice.WAIT, offeredAt(200, rival));
    assertFalse(life.adopt(new CompletableFuture<>(), toRival(rival), 900));
    assertEquals(PeerLife.Choice.WELCOME, offeredAt(300, link));
    openAt(300);
    assertEquals(rival, life.expiredCandidate(1_100));
    assertTrue(life.isOpenToAnother(rival.connection.peer().id()));
  }

  @Test
  void shouldLeaveTheNodeThatHasTheNameTimeToCall() throws Exception {
    openAt(0);
    Link rival = rivalLink();
    life.ended(link, why(Reason.PEER_GONE), 100, false);
    assertEquals(PeerLife.Choice.WAIT, offeredAt(200, rival));
    assertEquals(null, life.expiredCandidate(499));
    assertEquals(rival, life.expiredCandidate(500));
    assertEquals(PeerState.DOWN, life.state());
  }

  @Test
  void shouldGiveTheNameToAnotherNodeOnceTheFirstIsGone() throws Exception {
    openAt(0);
    Link rival = rivalLink();
    assertTrue(life.isNameKeptFrom(rival.connection.peer().id()));
    life.ended(link, why(Reason.PEER_CLOSED), 100, false);
    assertEquals(PeerLife.Choice.WELCOME, offeredAt(200, rival));
    assertTrue(life.open(rival, 200).isOpen());
    life.ended(rival, why(Reason.PEER_GONE), 300, false);
    life.gone(rival.connection.peer().id());
    assertEquals(PeerLife.Choice.WELCOME, offeredAt(400, link));
  }
}
