// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.spi.InMemoryTransport;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Sessions whose slots, queues and peers are at their limits, and programs that do what a handler
 * or a future should not. Also tests {@link Outgoing} and {@link SendSlot}.
 */
class SessionLimitsTest {
  private static final Duration SOON = SessionNode.SOON;
  private static final SessionOptions QUICK =
      SessionOptions.DEFAULT.reconnect(SOON, Duration.ofMillis(20), Duration.ofMillis(100));
  private static final Duration FOR_EVER = Duration.ofSeconds(Long.MAX_VALUE);
  private static final int MANY = 200;

  private final Map<String, byte[]> handles = new ConcurrentHashMap<>();
  private final List<AutoCloseable> open = new ArrayList<>();

  private SessionNode node(String name, SessionOptions options) throws Exception {
    SessionNode node = new SessionNode(new InMemoryTransport(name), handles, options);
    open.add(node);
    return node;
  }

  /** A node with a handler of the test's own. */
  private Session session(String name, SessionOptions options, MessageHandler handler)
      throws Exception {
    Transport transport = new InMemoryTransport(name);
    Session session = Session.open(transport, peer -> Optional.empty(), handler, options);
    handles.put(name, session.handle());
    open.add(transport);
    open.add(session);
    return session;
  }

  @AfterEach
  void close() throws Exception {
    for (int i = open.size() - 1; i >= 0; i--) {
      open.get(i).close();
    }
  }

  private static void awaitTrue(Callable<Boolean> what) {
    Awaitility.await().atMost(SOON).until(what);
  }

  private static void sendMany(PeerSession peer) throws Exception {
    for (int i = 0; i < MANY; i++) {
      peer.send(SessionNode.bytes("m"), SOON);
    }
  }

  @Test
  void shouldSendWhatWaitsThoughItNeedsMoreThanThePeersShareOfSlots() throws Exception {
    SessionNode a = node("a", QUICK.slots(8, 4));
    PeerSession toB = a.session.to("b");
    toB.send(ByteBuffer.allocate(60_000), SOON);
    sendMany(toB);
    SessionNode b = node("b", QUICK);
    b.session.to("a").connectNow();
    awaitTrue(() -> b.messages.size() == MANY + 1);
    awaitTrue(() -> a.session.freeSlots() == 8);
  }

  @Test
  void shouldLeaveTheSlotsToPeersThatAreConnected() throws Exception {
    SessionNode a = node("a", QUICK);
    sendMany(a.session.to("x"));
    sendMany(a.session.to("y"));
    assertEquals(a.session.pool().size(), a.session.freeSlots());
    node("c", QUICK);
    assertEquals("?!", SessionNode.text(a.session.to("c").call(SessionNode.bytes("?"), SOON)));
  }

  @Test
  void shouldKeepWhatWaitsInSlotsWhenTheConnectionIsLost() throws Exception {
    SessionNode a = node("a", QUICK.slots(64, 63));
    SessionNode b = node("b", QUICK.slots(64, 63));
    PeerSession toB = a.session.to("b");
    toB.call(SessionNode.bytes("one"), SOON);
    b.close();
    sendMany(toB);
    awaitTrue(() -> toB.state() != PeerState.OPEN);
    awaitTrue(() -> a.session.freeSlots() == 64);
    SessionNode again = node("b", QUICK.slots(64, 63));
    toB.connectNow();
    awaitTrue(() -> again.messages.size() + toB.unconfirmed() >= MANY && toB.queued() == 0);
    assertEquals(MANY, again.messages.size() + toB.unconfirmed());
  }

  @Test
  void shouldGoOnWhenASlotIsGivenBackUnsent() throws Exception {
    SessionNode a = node("a", QUICK.slots(2, 16));
    SessionNode b = node("b", QUICK.slots(2, 16));
    PeerSession toB = a.session.to("b");
    toB.call(SessionNode.bytes("one"), SOON);
    assertTrue(a.session.drain(SOON));
    SendSlot first = a.session.claim(SOON);
    SendSlot second = a.session.claim(SOON);
    toB.send(SessionNode.bytes("waits"), SOON);
    assertEquals(1, toB.queued());
    first.close();
    second.close();
    awaitTrue(() -> b.events.contains("a says waits"));
  }

  @Test
  void shouldGiveSlotsAsNewAndOneLengthFromEach() throws Exception {
    SessionNode a = node("a", QUICK);
    SessionNode b = node("b", QUICK);
    SessionNode c = node("c", QUICK);
    for (String text : List.of("one", "two", "six")) {
      try (SendSlot slot = a.session.claim(SOON)) {
        slot.bytes().order(ByteOrder.LITTLE_ENDIAN).put(text.getBytes(StandardCharsets.UTF_8));
        slot.sendTo(a.session.to("b"), 3, SOON);
      }
      assertTrue(a.session.drain(SOON));
    }
    awaitTrue(() -> b.messages.size() == 3);
    assertEquals(
        List.of("a says one", "a says two", "a says six"),
        b.events.stream().filter(each -> each.startsWith("a says")).toList());
    SendSlot slot = a.session.claim(SOON);
    slot.bytes().put(0, "hello".getBytes(StandardCharsets.UTF_8));
    slot.sendTo(a.session.to("b"), 5, SOON);
    assertThrows(IllegalArgumentException.class, () -> slot.sendTo(a.session.to("c"), 3, SOON));
    assertTrue(slot.trySendTo(a.session.to("c"), 5));
    slot.close();
    // At once, though the peers may not have the message yet.
    assertThrows(IllegalStateException.class, () -> slot.sendTo(a.session.to("c"), 5, SOON));
    assertThrows(IllegalStateException.class, slot::close);
    awaitTrue(() -> b.events.contains("a says hello") && c.events.contains("a says hello"));
  }

  /** Duration's longest is more than its nanoseconds fit, about 292 years. */
  @Test
  void shouldWaitForAsLongAsADurationCanSay() throws Exception {
    SessionNode a = node("a", QUICK.slots(2, 4));
    assertTrue(a.session.drain(FOR_EVER));
    SendSlot given = a.session.claim(FOR_EVER);
    a.session.claim(FOR_EVER);
    CompletableFuture<SendSlot> claimed = new CompletableFuture<>();
    Thread waiting =
        new Thread(
            () -> {
              try {
                claimed.complete(a.session.claim(FOR_EVER));
              } catch (TransportException | RuntimeException e) {
                claimed.completeExceptionally(e);
              }
            });
    waiting.start();
    awaitTrue(() -> waiting.getState() == Thread.State.TIMED_WAITING || claimed.isDone());
    given.close();
    claimed.get(SOON.toSeconds(), TimeUnit.SECONDS).close();
  }

  @Test
  void shouldRefuseAPauseThatIsTooLongByItsName() {
    Exception refused =
        assertThrows(
            IllegalArgumentException.class,
            () -> SessionOptions.DEFAULT.reconnect(FOR_EVER, SOON, SOON));
    assertEquals(
        "connectTimeout is " + FOR_EVER + ", not 1 ms to 2147483647 ms", refused.getMessage());
  }

  @Test
  void shouldSayWhatToDoAboutACallThatFails() throws Exception {
    SessionNode a = node("a", QUICK);
    SessionNode b = node("b", QUICK);
    b.isSilent = true;
    PeerSession toB = a.session.to("b");
    awaitTrue(
        () -> {
          toB.connect();
          return toB.isOpen();
        });
    // On a busy host the time may be over before a request leaves.
    String late =
        Awaitility.await()
            .atMost(SOON)
            .until(
                () -> failure(toB, Duration.ofMillis(30)), each -> !each.contains("has not left"));
    assertTrue(late.startsWith("b has not answered the request in time, over a connection"), late);
    assertTrue(late.contains("Allow more time"), late);
    PeerSession toNobody = a.session.to("nobody");
    toNobody.connect();
    awaitTrue(() -> toNobody.failure().isPresent());
    String none = failure(toNobody, Duration.ZERO);
    assertTrue(
        none.startsWith(
            "the request to nobody has not left: the time given (PT0S) was over before there was a connection."),
        none);
    String unknown = failure(toNobody, Duration.ofMillis(30));
    assertTrue(
        unknown.contains(
            "no handle of node nobody is known, so there is no address to connect to. The NodeHandles that this session was opened with has none"),
        unknown);
    assertTrue(
        unknown.contains("Session.handle() there, or open the session with SeedNodes"), unknown);
  }

  private static String failure(PeerSession peer, Duration timeout) {
    return assertThrows(TransportException.class, () -> peer.call(SessionNode.bytes("?"), timeout))
        .getMessage();
  }

  @Test
  void shouldEndAClaimWhenItIsClosed() throws Exception {
    SessionNode a = node("a", QUICK.slots(2, 4));
    a.session.claim(SOON);
    a.session.claim(SOON);
    CompletableFuture<Reason> why = new CompletableFuture<>();
    Thread waiting =
        new Thread(
            () -> {
              try {
                a.session.claim(Duration.ofDays(1));
              } catch (TransportException e) {
                why.complete(e.reason());
              }
            });
    waiting.start();
    awaitTrue(() -> waiting.getState() == Thread.State.TIMED_WAITING);
    a.session.close();
    assertEquals(Reason.CLOSED, why.get(SOON.toSeconds(), TimeUnit.SECONDS));
    assertEquals(null, a.session.tryClaim());
  }

  @Test
  void shouldSurviveAHandlerThatThrowsErrors() throws Exception {
    AtomicInteger handled = new AtomicInteger();
    session(
        "a",
        QUICK.lengths(1_024, 512),
        new MessageHandler() {
          @Override
          public void onMessage(PeerSession from, ByteBuffer message) {
            message.order(ByteOrder.LITTLE_ENDIAN);
            handled.incrementAndGet();
            throw new Error("it was told to");
          }

          @Override
          public void onRequest(PeerSession from, ByteBuffer request, Reply reply) {
            throw new IllegalStateException("x".repeat(2_000));
          }
        });
    SessionNode b = node("b", QUICK.lengths(1_024, 512));
    PeerSession toA = b.session.to("a");
    sendMany(toA);
    awaitTrue(() -> handled.get() == MANY);
    for (int i = 0; i < 40; i++) {
      TransportException why =
          assertThrows(TransportException.class, () -> toA.call(SessionNode.bytes("?"), SOON));
      assertEquals(Reason.REFUSED, why.reason());
    }
    assertEquals(List.of("a is open"), b.events);
  }

  @Test
  void shouldEndFuturesWithoutItsLocks() throws Exception {
    SessionNode a = node("a", QUICK.queue(1, QueuePolicy.DROP_OLDEST));
    PeerSession late = a.session.to("late");
    CompletableFuture<Boolean> isFree = new CompletableFuture<>();
    late.request(SessionNode.bytes("one"), SOON)
        .whenComplete(
            (reply, why) ->
                CompletableFuture.runAsync(late::queued)
                    .orTimeout(SOON.toSeconds() / 2, TimeUnit.SECONDS)
                    .whenComplete((done, locked) -> isFree.complete(locked == null))
                    .exceptionally(locked -> null)
                    .join());
    late.send(SessionNode.bytes("two"), SOON);
    assertTrue(isFree.get(SOON.toSeconds(), TimeUnit.SECONDS));
  }

  @Test
  void shouldCloseThoughFuturesCancelEachOther() throws Exception {
    SessionNode a = node("a", QUICK);
    PeerSession late = a.session.to("late");
    List<CompletableFuture<ByteBuffer>> all = new CopyOnWriteArrayList<>();
    for (int i = 0; i < 50; i++) {
      all.add(late.request(SessionNode.bytes("" + i), SOON));
    }
    for (CompletableFuture<ByteBuffer> each : all) {
      each.whenComplete((reply, why) -> all.forEach(other -> other.cancel(false)));
    }
    a.session.close();
    for (CompletableFuture<ByteBuffer> each : all) {
      assertTrue(each.isCompletedExceptionally());
    }
    assertEquals(0, late.queued());
  }

  @Test
  void shouldMakePlaceForNewPeersWhereOldOnesAreDown() throws Exception {
    SessionNode a = node("a", QUICK.maxPeers(2));
    for (int life = 0; life < 6; life++) {
      SessionNode other = node("life " + life, QUICK);
      other.session.to("a").call(SessionNode.bytes("?"), SOON);
      other.close();
      String name = "life " + life;
      awaitTrue(
          () ->
              a.session.peers().stream()
                  .noneMatch(each -> each.name().equals(name) && each.isOpen()));
    }
    assertTrue(a.session.peers().size() <= 2);
    a.session.to("kept");
    a.session.to("kept too");
    SessionNode one = node("one more", QUICK);
    PeerSession toA = one.session.to("a");
    toA.connectNow();
    awaitTrue(() -> toA.failure().isPresent());
    assertFalse(toA.isOpen());
  }
}
