// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/**
 * What sessions promise, over any implementation of the SPI. Also tests {@link ReconnectPauses},
 * {@link PeerLife}, {@link Outbox}, {@link SessionThread}, {@link PeerConnector}, {@link
 * FrameDispatch}, {@link HandlerCalls} and {@link Calls}.
 */
abstract class SessionContract {
  static final Duration SOON = SessionNode.SOON;
  private static final SessionOptions QUICK =
      SessionOptions.DEFAULT.reconnect(SOON, Duration.ofMillis(20), Duration.ofMillis(100));

  final Map<String, byte[]> handles = new ConcurrentHashMap<>();
  private final List<SessionNode> nodes = new ArrayList<>();

  /** Opens a node that the other nodes of this test can reach. */
  abstract Transport transport(String name) throws TransportException;

  final SessionNode node(String name, SessionOptions options) throws TransportException {
    SessionNode node = new SessionNode(transport(name), handles, options);
    nodes.add(node);
    return node;
  }

  final SessionNode node(String name) throws TransportException {
    return node(name, QUICK);
  }

  @AfterEach
  void close() {
    nodes.forEach(SessionNode::close);
  }

  private static void awaitTrue(java.util.concurrent.Callable<Boolean> what) {
    Awaitility.await().atMost(SOON).until(what);
  }

  private static Reason reason(org.junit.jupiter.api.function.Executable call) {
    return assertThrows(TransportException.class, call).reason();
  }

  @Test
  void shouldConnectWhenSomethingIsSent() throws Exception {
    SessionNode a = node("a");
    SessionNode b = node("b");
    PeerSession toB = a.session.to("b");
    assertEquals(PeerState.DOWN, toB.state());
    toB.send(SessionNode.bytes("hello"), SOON);
    awaitTrue(() -> b.events.contains("a says hello"));
    assertEquals(List.of("a is open", "a says hello"), b.events);
    b.session.to("a").send(SessionNode.bytes("welcome"), SOON);
    awaitTrue(() -> a.events.contains("b says welcome"));
    assertEquals(PeerState.OPEN, toB.state());
    assertEquals(b.transport.self(), toB.lastPeer().orElseThrow());
    assertTrue(a.session.drain(SOON));
  }

  @Test
  void shouldAnswerCalls() throws Exception {
    SessionNode a = node("a");
    node("b");
    PeerSession toB = a.session.to("b");
    assertEquals("ping!", SessionNode.text(toB.call(SessionNode.bytes("ping"), SOON)));
    assertEquals("!", SessionNode.text(toB.call(ByteBuffer.allocate(0), SOON)));
    TransportException refused =
        assertThrows(TransportException.class, () -> toB.call(SessionNode.bytes("throw"), SOON));
    assertEquals(Reason.REFUSED, refused.reason());
    assertTrue(refused.getMessage().contains("it was told to"), refused.getMessage());
  }

  @Test
  void shouldAnswerCallsOfManyThreads() throws Exception {
    SessionNode a = node("a");
    node("b");
    PeerSession toB = a.session.to("b");
    AtomicInteger right = new AtomicInteger();
    List<CompletableFuture<Void>> callers = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      int caller = i;
      callers.add(
          CompletableFuture.runAsync(
              () -> {
                for (int j = 0; j < 200; j++) {
                  String text = caller + " calls " + j;
                  try {
                    if (SessionNode.text(toB.call(SessionNode.bytes(text), SOON))
                        .equals(text + "!")) {
                      right.incrementAndGet();
                    }
                  } catch (TransportException e) {
                    throw new IllegalStateException(e);
                  }
                }
              },
              task -> new Thread(task).start()));
    }
    CompletableFuture.allOf(callers.toArray(CompletableFuture[]::new))
        .get(SOON.toSeconds(), TimeUnit.SECONDS);
    assertEquals(1_600, right.get());
    assertTrue(a.session.drain(SOON));
    assertEquals(a.session.pool().size(), a.session.pool().free());
  }

  @Test
  void shouldKeepTheOrderOfMessagesOfAllLengths() throws Exception {
    SessionOptions small = QUICK.lengths(1_024, 1 << 20).slots(16, 4);
    SessionNode a = node("a", small);
    SessionNode b = node("b", small);
    PeerSession toB = a.session.to("b");
    Random random = new Random(7);
    List<byte[]> sent = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      byte[] message =
          new byte[random.nextInt(4) == 0 ? random.nextInt(20_000) : random.nextInt(900)];
      random.nextBytes(message);
      sent.add(message);
      toB.send(ByteBuffer.wrap(message), SOON);
    }
    byte[] longest = new byte[1 << 20];
    random.nextBytes(longest);
    sent.add(longest);
    toB.send(ByteBuffer.wrap(longest), SOON);
    awaitTrue(() -> b.messages.size() == sent.size());
    for (int i = 0; i < sent.size(); i++) {
      assertArrayEquals(sent.get(i), b.messages.get(i), "message " + i);
    }
    assertThrows(
        IllegalArgumentException.class, () -> toB.send(ByteBuffer.allocate((1 << 20) + 1), SOON));
    assertTrue(a.session.drain(SOON));
    assertEquals(16, a.session.pool().free());
  }

  @Test
  void shouldAnswerALongCallWithALongReply() throws Exception {
    SessionNode a = node("a");
    node("b");
    byte[] request = new byte[1 << 20];
    new Random(3).nextBytes(request);
    ByteBuffer reply = a.session.to("b").call(ByteBuffer.wrap(request), SOON);
    assertEquals(request.length + 1, reply.remaining());
    byte[] begin = new byte[request.length];
    reply.get(begin);
    assertArrayEquals(request, begin);
  }

  @Test
  void shouldSendOneSlotToSeveralPeers() throws Exception {
    SessionNode a = node("a");
    SessionNode b = node("b");
    SessionNode c = node("c");
    try (SendSlot slot = a.session.claim(SOON)) {
      slot.bytes().put(0, SessionNode.bytes("to all").array());
      slot.sendTo(a.session.to("b"), 6, SOON);
      slot.sendTo(a.session.to("c"), 6, SOON);
      assertThrows(
          IllegalArgumentException.class,
          () -> slot.sendTo(a.session.to("b"), a.session.slotCapacity() + 1, SOON));
    }
    awaitTrue(() -> b.events.contains("a says to all") && c.events.contains("a says to all"));
    assertTrue(a.session.drain(SOON));
    assertEquals(a.session.pool().size(), a.session.pool().free());
  }

  @Test
  void shouldAgreeOnOneConnectionWhenBothOpenOneAtATime() throws Exception {
    for (int round = 0; round < 6; round++) {
      SessionNode a = node("a" + round);
      SessionNode b = node("b" + round);
      CompletableFuture<Void> other = CompletableFuture.runAsync(() -> send(b, "a", "b"));
      send(a, "b", "a");
      other.get(SOON.toSeconds(), TimeUnit.SECONDS);
      int last = round;
      awaitTrue(
          () ->
              a.events.contains("b" + last + " says 49")
                  && b.events.contains("a" + last + " says 49"));
      assertEquals(50, a.messages.size());
      assertEquals(50, b.messages.size());
      assertEquals(1, a.events.stream().filter(each -> each.endsWith("is open")).count());
      assertEquals(1, b.events.stream().filter(each -> each.endsWith("is open")).count());
    }
  }

  private static void send(SessionNode from, String to, String own) {
    PeerSession peer = from.session.to(from.session.name().replace(own, to));
    for (int i = 0; i < 50; i++) {
      try {
        peer.send(SessionNode.bytes("" + i), SOON);
      } catch (TransportException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  @Test
  void shouldConnectToWhomeverAHandleLeadsTo() throws Exception {
    SessionNode a = node("a");
    SessionNode b = node("b");
    byte[] handle = handles.remove("b");
    CompletableFuture<PeerSession> first = a.session.connect(handle, Optional.empty());
    CompletableFuture<PeerSession> second = a.session.connect(handle, Optional.empty());
    PeerSession toB = first.get(SOON.toSeconds(), TimeUnit.SECONDS);
    assertEquals("b", toB.name());
    assertEquals(toB, second.get(SOON.toSeconds(), TimeUnit.SECONDS));
    toB.send(SessionNode.bytes("hello"), SOON);
    awaitTrue(() -> b.events.contains("a says hello"));
    assertEquals(List.of("b is open"), a.events);
    CompletableFuture<PeerSession> again = a.session.connect(handle, Optional.empty());
    assertEquals(toB, result(again));
    assertTrue(toB.isOpen());
    assertEquals(Reason.BAD_HANDLE, reason(() -> a.session.connect(new byte[3], Optional.empty())));
    CompletableFuture<PeerSession> toItself = a.session.connect(handles.get("a"), Optional.empty());
    assertThrows(TransportException.class, () -> result(toItself));
    b.close();
    CompletableFuture<PeerSession> late = a.session.connect(handle, Optional.empty());
    assertThrows(TransportException.class, () -> result(late));
  }

  private static PeerSession result(CompletableFuture<PeerSession> connecting) throws Exception {
    try {
      return connecting.get(SOON.toSeconds(), TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw (TransportException) e.getCause();
    }
  }

  @Test
  void shouldAgreeOnOneConnectionWhenBothConnectWithoutNames() throws Exception {
    for (int round = 0; round < 6; round++) {
      SessionNode a = node("a" + round);
      SessionNode b = node("b" + round);
      boolean isMixed = round % 2 == 1;
      CompletableFuture<PeerSession> toA =
          b.session.connect(handles.get(a.session.name()), Optional.empty());
      if (isMixed) {
        a.session.to(b.session.name()).connectNow();
      } else {
        a.session.connect(handles.get(b.session.name()), Optional.empty());
      }
      toA.handle((peer, why) -> peer).get(SOON.toSeconds(), TimeUnit.SECONDS);
      send(a, "b", "a");
      send(b, "a", "b");
      String last = "" + round;
      awaitTrue(
          () ->
              a.events.contains("b" + last + " says 49")
                  && b.events.contains("a" + last + " says 49"));
      assertEquals(1, a.events.stream().filter(each -> each.endsWith("is open")).count());
      assertEquals(1, b.events.stream().filter(each -> each.endsWith("is open")).count());
    }
  }

  @Test
  void shouldHaveANameOfItsOwn() throws Exception {
    SessionNode a = node("a", QUICK.name("a of its own"));
    SessionNode b = node("b", QUICK.name("198.18.0.1:4791"));
    assertEquals("a of its own", a.session.name());
    a.session.to("198.18.0.1:4791").send(SessionNode.bytes("hello"), SOON);
    awaitTrue(() -> b.events.contains("a of its own says hello"));
    SessionNode other = node("c", QUICK.name("a of its own"));
    PeerSession fromOther = other.session.to("198.18.0.1:4791");
    other.session.connect(handles.get("198.18.0.1:4791"), Optional.empty());
    awaitTrue(() -> !fromOther.isOpen() && b.session.peers().size() == 1);
    assertEquals(a.transport.self(), b.session.to("a of its own").lastPeer().orElseThrow());
    assertThrows(IllegalArgumentException.class, () -> QUICK.name(""));
  }

  /** Replies that come between the removal and the end of the connection are no fault of theirs. */
  @Test
  void shouldDropWhatArrivesForAPeerThatIsRemoved() throws Exception {
    SessionNode a = node("a");
    SessionNode b = node("b");
    PeerSession toB = a.session.to("b");
    toB.request(SessionNode.bytes("first"), SOON).thenRun(toB::remove);
    for (int i = 0; i < 200; i++) {
      toB.request(SessionNode.bytes("" + i), SOON);
    }
    awaitTrue(() -> b.exchanged.contains("a is down"));
    assertEquals(0, a.session.refused());
    Reason why = b.session.to("a").failure().orElseThrow().reason();
    assertEquals(Reason.PEER_CLOSED, why);
  }

  @Test
  void shouldTakeAnyLimitThatADurationCanBe() throws Exception {
    node("b");
    Duration longest = Duration.ofSeconds(Long.MAX_VALUE);
    PeerSession toB = node("a").session.to("b");
    assertEquals("1!", SessionNode.text(toB.call(SessionNode.bytes("1"), longest)));
  }

  @Test
  void shouldTellTheSecondNodeOfANameWhyItIsRefused() throws Exception {
    SessionOptions quick =
        QUICK.reconnect(Duration.ofMillis(400), Duration.ofMillis(20), Duration.ofMillis(100));
    SessionNode a = node("a", quick);
    SessionNode b = node("b", QUICK);
    assertEquals("1!", SessionNode.text(b.session.to("a").call(SessionNode.bytes("1"), SOON)));
    PeerSession second = node("c", QUICK.name("b")).session.to("a");
    second.connectNow();
    awaitTrue(() -> second.failure().filter(each -> each.reason() == Reason.REFUSED).isPresent());
    String why = second.failure().orElseThrow().getMessage();
    assertTrue(why.startsWith("a says: there are two nodes of the name 'b'"), why);
    assertTrue(a.session.refused() > 0);
    assertEquals("2!", SessionNode.text(b.session.to("a").call(SessionNode.bytes("2"), SOON)));
  }

  @Test
  void shouldCarryWhatTheSourcesOfNodesSay() throws Exception {
    SessionNode a = node("a", QUICK.lengths(1_024, 1 << 16));
    SessionNode b = node("b", QUICK.lengths(1_024, 1 << 16));
    PeerSession toB = a.session.to("b");
    assertFalse(toB.exchange(SessionNode.bytes("too early")));
    toB.connectNow();
    awaitTrue(() -> a.events.contains("b is open"));
    assertTrue(toB.exchange(SessionNode.bytes("news")));
    assertTrue(toB.exchange(ByteBuffer.allocate(5_000)));
    assertTrue(toB.exchange(SessionNode.bytes("throw")));
    toB.send(SessionNode.bytes("after"), SOON);
    awaitTrue(() -> b.events.contains("a says after"));
    assertEquals(List.of("a is open", "a says news", "a says 5000", "a says throw"), b.exchanged);
    assertEquals(1, b.session.handlerFailures());
    assertTrue(toB.exchange(SessionNode.bytes("lie")));
    awaitTrue(() -> a.exchanged.contains("b is down"));
    assertEquals(1, b.session.refused());
  }

  @Test
  void shouldNotCallAPeerBackThatSaidGoodbye() throws Exception {
    SessionNode a = node("a");
    SessionNode b = node("b");
    PeerSession toB = a.session.to("b");
    toB.call(SessionNode.bytes("one"), SOON);
    b.close();
    awaitTrue(() -> a.events.contains("b is down: PEER_CLOSED"));
    // One attempt would take the first of the messages; there is none before they are sent.
    assertEquals(Reason.PEER_CLOSED, toB.failure().orElseThrow().reason());
    toB.send(SessionNode.bytes("two"), SOON);
    toB.send(SessionNode.bytes("three"), SOON);
    awaitTrue(() -> toB.failure().orElseThrow().reason() != Reason.PEER_CLOSED);
    assertEquals(2, toB.dropQueued());
    assertEquals(0, toB.queued());
    assertEquals(2, toB.dropped());
  }

  @Test
  void shouldSendWhatIsQueuedOnceTheNodeIsThere() throws Exception {
    SessionNode a = node("a");
    PeerSession toB = a.session.to("b");
    toB.send(SessionNode.bytes("early"), SOON);
    awaitTrue(() -> toB.failure().isPresent());
    assertEquals(Reason.NO_ROUTE, toB.failure().orElseThrow().reason());
    assertEquals(1, toB.queued());
    SessionNode b = node("b");
    toB.connectNow();
    awaitTrue(() -> b.events.contains("a says early"));
    assertEquals(0, toB.queued());
  }

  @Test
  void shouldConnectAgainToANodeThatHasRestarted() throws Exception {
    SessionNode a = node("a");
    SessionNode b = node("b");
    PeerSession toB = a.session.to("b");
    toB.call(SessionNode.bytes("one"), SOON);
    b.close();
    awaitTrue(() -> a.events.contains("b is down: PEER_CLOSED"));
    toB.send(SessionNode.bytes("two"), SOON);
    SessionNode again = node("b");
    awaitTrue(() -> again.events.contains("a says two"));
    assertEquals("three!", SessionNode.text(toB.call(SessionNode.bytes("three"), SOON)));
    assertFalse(a.events.contains("b has ended"), "it said goodbye");
  }

  @Test
  void shouldFailTheCallsOfALostConnection() throws Exception {
    SessionNode a = node("a");
    SessionNode b = node("b");
    PeerSession toB = a.session.to("b");
    toB.call(SessionNode.bytes("one"), SOON);
    b.isSilent = true;
    CompletableFuture<ByteBuffer> reply = toB.request(SessionNode.bytes("two"), SOON);
    assertTrue(a.session.drain(SOON));
    b.close();
    ExecutionException why =
        assertThrows(ExecutionException.class, () -> reply.get(SOON.toSeconds(), TimeUnit.SECONDS));
    assertEquals(Reason.PEER_CLOSED, ((TransportException) why.getCause()).reason());
  }

  @Test
  void shouldEndACallAtItsDeadlineAndGoOn() throws Exception {
    SessionNode a = node("a");
    SessionNode b = node("b");
    PeerSession toB = a.session.to("b");
    toB.call(SessionNode.bytes("one"), SOON);
    b.isSilent = true;
    assertEquals(
        Reason.TIMED_OUT, reason(() -> toB.call(SessionNode.bytes("two"), Duration.ofMillis(30))));
    b.isSilent = false;
    assertEquals("three!", SessionNode.text(toB.call(SessionNode.bytes("three"), SOON)));
    PeerSession toNobody = a.session.to("nobody");
    assertEquals(
        Reason.TIMED_OUT,
        reason(() -> toNobody.call(SessionNode.bytes("four"), Duration.ofMillis(30))));
    assertEquals(0, toNobody.queued(), "a request whose time is over must not leave later");
  }

  @Test
  void shouldKeepToTheLimitsOfItsQueue() throws Exception {
    SessionNode waits = node("a", QUICK.queue(3, QueuePolicy.WAIT));
    SessionNode refuses = node("b", QUICK.queue(3, QueuePolicy.REFUSE));
    SessionNode drops = node("c", QUICK.queue(3, QueuePolicy.DROP_OLDEST));
    for (int i = 0; i < 3; i++) {
      for (SessionNode each : List.of(waits, refuses, drops)) {
        each.session.to("late").send(SessionNode.bytes("" + i), SOON);
      }
    }
    ByteBuffer one = SessionNode.bytes("3");
    assertEquals(
        Reason.TIMED_OUT, reason(() -> waits.session.to("late").send(one, Duration.ofMillis(20))));
    assertEquals(Reason.BUSY, reason(() -> refuses.session.to("late").send(one, SOON)));
    drops.session.to("late").send(one, SOON);
    assertEquals(1, drops.session.to("late").dropped());
    SessionNode late = node("late");
    for (SessionNode each : List.of(waits, refuses, drops)) {
      each.session.to("late").connectNow();
    }
    awaitTrue(() -> late.messages.size() == 9);
    for (String event : List.of("a says 0", "b says 2", "c says 1", "c says 3")) {
      assertTrue(late.events.contains(event), event + " of " + late.events);
    }
    assertFalse(late.events.contains("c says 0"));
  }

  @Test
  void shouldRefuseNodesThatDoNotFit() throws Exception {
    SessionNode a = node("a");
    node("b", QUICK.lengths(2_048, 1 << 20));
    PeerSession toB = a.session.to("b");
    toB.connectNow();
    awaitTrue(() -> toB.failure().isPresent());
    TransportException why = toB.failure().orElseThrow();
    assertTrue(
        why.reason() == Reason.PROTOCOL || why.reason() == Reason.PEER_CLOSED, why.summary());
    handles.put("c", handles.get("b"));
    PeerSession toC = node("d", QUICK.lengths(2_048, 1 << 20)).session.to("c");
    toC.connectNow();
    awaitTrue(() -> toC.failure().isPresent());
    assertTrue(
        toC.failure().orElseThrow().getMessage().contains("leads to node b"),
        toC.failure().orElseThrow().summary());
    assertThrows(IllegalArgumentException.class, () -> a.session.to("a"));
    assertThrows(IllegalArgumentException.class, () -> a.session.to(""));
  }

  @Test
  void shouldLimitTheNumberOfPeersAndCalls() throws Exception {
    SessionNode a = node("a", QUICK.maxPeers(1).maxCalls(1));
    SessionNode b = node("b");
    b.isSilent = true;
    PeerSession toB = a.session.to("b");
    assertThrows(IllegalStateException.class, () -> a.session.to("c"));
    CompletableFuture<ByteBuffer> first = toB.request(SessionNode.bytes("1"), SOON);
    assertEquals(Reason.BUSY, reason(() -> toB.call(SessionNode.bytes("2"), SOON)));
    first.cancel(false);
    b.isSilent = false;
    assertEquals("3!", SessionNode.text(toB.call(SessionNode.bytes("3"), SOON)));
    PeerSession fromC = node("c").session.to("a");
    fromC.connectNow();
    awaitTrue(() -> fromC.failure().filter(each -> each.reason() == Reason.REFUSED).isPresent());
    assertTrue(fromC.failure().orElseThrow().getMessage().contains("maxPeers"));
    toB.remove();
    awaitTrue(() -> b.events.contains("a is down: PEER_CLOSED"));
    assertEquals(Reason.CLOSED, reason(() -> toB.send(SessionNode.bytes("4"), SOON)));
    fromC.connectNow();
    assertEquals("5!", SessionNode.text(fromC.call(SessionNode.bytes("5"), SOON)));
  }

  @Test
  void shouldNotWaitOnItsOwnThread() throws Exception {
    CompletableFuture<Reason> outcome = new CompletableFuture<>();
    Transport transport = transport("a");
    SessionOptions options = QUICK.queue(1, QueuePolicy.WAIT).slots(2, 1);
    SessionNode b = node("b", options);
    MessageHandler handler =
        (from, message) -> {
          try {
            for (int i = 0; i < 1_000; i++) {
              from.send(ByteBuffer.allocate(10), SOON);
            }
          } catch (TransportException e) {
            outcome.complete(e.reason());
          }
        };
    try (Session a =
        Session.open(
            transport,
            name -> java.util.Optional.ofNullable(handles.get(name)),
            handler,
            options)) {
      handles.put("a", a.handle());
      b.session.to("a").send(SessionNode.bytes("go"), SOON);
      assertEquals(Reason.BUSY, outcome.get(SOON.toSeconds(), TimeUnit.SECONDS));
    } finally {
      transport.close();
    }
  }

  @Test
  void shouldEndEverythingWhenItIsClosed() throws Exception {
    SessionNode a = node("a");
    SessionNode b = node("b");
    b.isSilent = true;
    PeerSession toB = a.session.to("b");
    CompletableFuture<ByteBuffer> reply = toB.request(SessionNode.bytes("1"), SOON);
    assertTrue(a.session.drain(SOON));
    a.session.close();
    a.session.close();
    ExecutionException why =
        assertThrows(ExecutionException.class, () -> reply.get(SOON.toSeconds(), TimeUnit.SECONDS));
    assertEquals(Reason.CLOSED, ((TransportException) why.getCause()).reason());
    assertEquals(PeerState.CLOSED, toB.state());
    assertEquals(Reason.CLOSED, reason(() -> toB.send(SessionNode.bytes("2"), SOON)));
    assertEquals(Reason.CLOSED, reason(() -> a.session.claim(SOON)));
    assertNull(a.session.tryClaim());
    byte[] handle = handles.get("b");
    assertEquals(Reason.CLOSED, reason(() -> result(a.session.connect(handle, Optional.empty()))));
    PeerSession toC = a.session.to("c");
    assertEquals(Reason.CLOSED, reason(() -> toC.send(SessionNode.bytes("3"), SOON)));
    assertEquals(Reason.CLOSED, reason(() -> toC.call(SessionNode.bytes("4"), SOON)));
    awaitTrue(() -> b.events.contains("a is down: PEER_CLOSED"));
    a.transport.close();
    assertEquals(Reason.CLOSED, reason(() -> new SessionNode(a.transport, handles, QUICK)));
  }

  /** Whatever a thread is about to do, or waits for, when another one closes. */
  @Test
  void shouldFailWithClosedWhateverAnotherThreadClosesMeanwhile() throws Exception {
    SessionNode a = node("a", QUICK.queue(1, QueuePolicy.WAIT));
    PeerSession removed = a.session.to("removed");
    PeerSession full = a.session.to("full");
    SendSlot slot = a.session.claim(SOON);
    removed.remove();
    assertEquals(Reason.CLOSED, reason(() -> slot.sendTo(removed, 1, SOON)));
    assertEquals(Reason.CLOSED, reason(() -> slot.trySendTo(removed, 1)));
    assertEquals(Reason.CLOSED, reason(() -> removed.send(SessionNode.bytes("1"), SOON)));
    full.send(SessionNode.bytes("2"), SOON);
    CompletableFuture<Reason> waiting = new CompletableFuture<>();
    Thread sender =
        new Thread(() -> waiting.complete(reason(() -> full.send(SessionNode.bytes("3"), SOON))));
    sender.start();
    awaitTrue(() -> sender.getState() == Thread.State.TIMED_WAITING);
    a.session.close();
    assertEquals(Reason.CLOSED, waiting.get(SOON.toSeconds(), TimeUnit.SECONDS));
    assertEquals(Reason.CLOSED, reason(() -> slot.sendTo(full, 1, SOON)));
    slot.close();
  }

  /** All that the transport gives out again, of one length, with zeros. */
  private static List<RegisteredMemory> reuse(Transport transport, int lengthBytes)
      throws TransportException {
    List<RegisteredMemory> pieces = new ArrayList<>();
    for (int i = 0; i < 512; i++) {
      RegisteredMemory piece = transport.allocate(lengthBytes);
      piece.segments().get(0).put(0, new byte[lengthBytes]);
      pieces.add(piece);
    }
    return pieces;
  }

  @Test
  void shouldLeaveASlotToTheThreadThatHasItWhenItIsClosed() throws Exception {
    SessionNode a = node("a", QUICK.lengths(1_024, 1 << 20).slots(4, 4));
    SendSlot slot = a.session.claim(SOON);
    a.session.close();
    List<RegisteredMemory> next = reuse(a.transport, 4 * 1_024);
    for (int i = 0; i < slot.bytes().capacity(); i++) {
      slot.bytes().put(i, (byte) 1);
    }
    for (RegisteredMemory each : next) {
      assertEquals(-1, each.segments().get(0).mismatch(ByteBuffer.allocate(4 * 1_024)));
    }
    assertEquals(Reason.CLOSED, reason(() -> slot.sendTo(a.session.to("b"), 1, SOON)));
    slot.close();
    next.forEach(RegisteredMemory::close);
  }

  @Test
  void shouldLeaveAMessageToTheHandlerThatClosesTheSession() throws Exception {
    SessionOptions options = QUICK.lengths(1_024, 1 << 20).slots(4, 4);
    Transport transport = transport("a");
    CompletableFuture<Session> opened = new CompletableFuture<>();
    CompletableFuture<String> read = new CompletableFuture<>();
    MessageHandler handler =
        (from, message) -> {
          try {
            opened.join().close();
            List<RegisteredMemory> next = reuse(transport, 4 * 1_024);
            read.complete(SessionNode.text(message));
            next.forEach(RegisteredMemory::close);
          } catch (TransportException | RuntimeException e) {
            read.completeExceptionally(e);
          }
        };
    SessionNode b = node("b", options);
    try {
      opened.complete(Session.open(transport, name -> Optional.empty(), handler, options));
      handles.put("a", opened.join().handle());
      b.session.to("a").send(SessionNode.bytes("read me"), SOON);
      assertEquals("read me", read.get(SOON.toSeconds(), TimeUnit.SECONDS));
    } finally {
      opened.join().close();
      transport.close();
    }
  }

  /** Its connections end before the session's thread, which is in a handler, hears why. */
  @Test
  void shouldQueueWhatIsSentUntilItKnowsThatItsTransportIsClosed() throws Exception {
    CountDownLatch inHandler = new CountDownLatch(1);
    CountDownLatch mayReturn = new CountDownLatch(1);
    Transport transport = transport("a");
    MessageHandler handler =
        (from, message) -> {
          inHandler.countDown();
          while (mayReturn.getCount() > 0) {
            LockSupport.parkNanos(1_000_000);
          }
        };
    SessionNode b = node("b");
    Session a = Session.open(transport, name -> Optional.empty(), handler, QUICK);
    try {
      handles.put("a", a.handle());
      b.session.to("a").send(SessionNode.bytes("go"), SOON);
      assertTrue(inHandler.await(SOON.toSeconds(), TimeUnit.SECONDS));
      PeerSession toB = a.to("b");
      transport.close();
      toB.send(SessionNode.bytes("nobody hears it"), SOON);
      CompletableFuture<ByteBuffer> reply = toB.request(SessionNode.bytes("?"), SOON);
      mayReturn.countDown();
      ExecutionException why =
          assertThrows(
              ExecutionException.class, () -> reply.get(SOON.toSeconds(), TimeUnit.SECONDS));
      assertEquals(Reason.CLOSED, ((TransportException) why.getCause()).reason());
      awaitTrue(() -> toB.state() == PeerState.CLOSED);
      assertEquals(Reason.CLOSED, reason(() -> toB.send(SessionNode.bytes("2"), SOON)));
    } finally {
      mayReturn.countDown();
      a.close();
    }
  }

  @Test
  void shouldFailWhatIsSentOnceItsTransportIsClosed() throws Exception {
    SessionNode a = node("a");
    SessionNode b = node("b");
    a.session.to("b").call(SessionNode.bytes("?"), SOON);
    b.isSilent = true;
    CompletableFuture<ByteBuffer> waiting = a.session.to("b").request(SessionNode.bytes("?"), SOON);
    a.session.to("x").send(SessionNode.bytes("queued"), SOON);
    a.transport.close();
    assertThrows(ExecutionException.class, () -> waiting.get(SOON.toSeconds(), TimeUnit.SECONDS));
    awaitTrue(() -> a.session.to("x").state() == PeerState.CLOSED);
    for (String peer : List.of("b", "x", "new")) {
      PeerSession to = a.session.to(peer);
      for (Executable each :
          List.<Executable>of(
              () -> to.call(SessionNode.bytes("?"), SOON),
              () -> to.send(SessionNode.bytes("m"), SOON))) {
        TransportException why = assertThrows(TransportException.class, each);
        assertEquals(Reason.CLOSED, why.reason());
        assertTrue(why.getMessage().contains("transport of session a"), why.getMessage());
      }
    }
    awaitTrue(() -> a.events.contains("b is down: CLOSED"));
  }

  @Test
  void shouldSurviveAHandlerThatThrows() throws Exception {
    Transport transport = transport("a");
    MessageHandler handler =
        (from, message) -> {
          throw new IllegalStateException("whatever comes");
        };
    SessionNode b = node("b");
    try (Session a = Session.open(transport, name -> Optional.empty(), handler, QUICK)) {
      handles.put("a", a.handle());
      PeerSession toA = b.session.to("a");
      toA.send(SessionNode.bytes("1"), SOON);
      toA.send(SessionNode.bytes("2"), SOON);
      awaitTrue(() -> a.handlerFailures() == 2);
      assertEquals(Reason.REFUSED, reason(() -> toA.call(SessionNode.bytes("3"), SOON)));
    } finally {
      transport.close();
    }
  }

  @Test
  void shouldGiveAMessageUnchangedToTheCaller() throws Exception {
    SessionNode a = node("a");
    SessionNode b = node("b");
    ByteBuffer message = ByteBuffer.allocate(100);
    Arrays.fill(message.array(), (byte) 'x');
    message.position(10).limit(20);
    a.session.to("b").send(message, SOON);
    assertEquals(10, message.position());
    assertEquals(20, message.limit());
    awaitTrue(() -> b.events.contains("a says xxxxxxxxxx"));
  }
}
