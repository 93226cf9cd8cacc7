// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.spi.ConnectOptions;
import io.meshtransport.spi.Connection;
import io.meshtransport.spi.InMemoryTransport;
import io.meshtransport.spi.Listener;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Texts of calls that have timed out, in each state of the peer. */
class CallTimeoutTest {
  private static final String STUCK = "It is stuck.";

  private final InMemoryTransport transport = new InMemoryTransport("a");
  private final InMemoryTransport peer = new InMemoryTransport("b");
  private final PeerLife life = new PeerLife("b", SessionOptions.DEFAULT, 0);
  private final Call call = new Call(1, Duration.ZERO, 0, false);

  @AfterEach
  void close() {
    transport.close();
    peer.close();
  }

  private Link link() throws Exception {
    Listener listener = peer.listen();
    Connection connection =
        transport.connect(listener.handle(), ConnectOptions.DEFAULT, SessionNode.SOON);
    return new Link(() -> false, 0, connection, true, transport, SessionOptions.DEFAULT);
  }

  private String text(String whySilent) {
    TransportException failure = new CallTimeout("b", life, () -> whySilent).apply(call);
    assertEquals(Reason.TIMED_OUT, failure.reason());
    return failure.getMessage();
  }

  private void assertNotLeft(String ending, String text) {
    assertEquals(
        "the request to b has not left: the time given (PT0S) was over before " + ending, text);
  }

  private void attemptFails(Reason reason) {
    CompletableFuture<Void> attempt = new CompletableFuture<>();
    life.beginAttempt(0);
    life.attempting(attempt);
    life.attemptFailed(attempt, new TransportException(reason, "No cable."), 0);
  }

  @Test
  void shouldSayThatThereWasNoConnection() {
    assertNotLeft("there was a connection. None was tried yet: allow more time", text(STUCK));
    attemptFails(Reason.NO_ROUTE);
    String failed = "there was a connection. The last one was lost, or could not be opened: ";
    assertNotLeft(failed + "NO_ROUTE: No cable.", text(STUCK));
    attemptFails(Reason.TIMED_OUT);
    assertNotLeft(failed + "TIMED_OUT: No cable. " + STUCK, text(STUCK));
  }

  @Test
  void shouldSayThatAConnectionIsBeingOpened() {
    life.beginAttempt(0);
    assertNotLeft("there was a connection. One is being opened: allow more time", text(""));
    assertNotLeft(
        "there was a connection. One is being opened: allow more time. " + STUCK, text(STUCK));
    life.attemptFailed(null, new TransportException(Reason.NO_ROUTE, "No cable."), 0);
    life.beginAttempt(0);
    assertNotLeft(
        "there was a connection. One is being opened: allow more time. The one before failed with NO_ROUTE: No cable. "
            + STUCK,
        text(STUCK));
  }

  @Test
  void shouldSayThatARequestWaitsThoughThereIsAConnection() throws Exception {
    life.open(link(), 0);
    String text = text("");
    assertNotLeft(
        "it could leave, and there is a connection. Allow more time: what was queued before leaves first, as fast as the handlers there return",
        text);
    assertEquals(text + ". " + STUCK, text(STUCK));
  }

  @Test
  void shouldSayThatTheSessionIsClosed() {
    life.close(new ArrayList<>());
    assertEquals(
        "the request to b has not left: the session with it is closed. Open another one",
        text(STUCK));
  }

  @Test
  void shouldLookUpOnceForAllCallsOfAMomentWhyTheirPeerIsSilent() throws Exception {
    call.link = link();
    assertTrue(text("").startsWith("b has not answered the request in time, over a connection"));
    assertTrue(text(STUCK).endsWith("no reply leaves. " + STUCK), text(STUCK));
    AtomicInteger lookups = new AtomicInteger();
    CallTimeout timeout = new CallTimeout("b", life, () -> "" + lookups.incrementAndGet());
    timeout.apply(call);
    timeout.apply(call);
    assertEquals(1, lookups.get());
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldFailACallWhereTheLookUpFails(boolean isThrown) throws Exception {
    try (SessionNode b = new SessionNode(peer, new ConcurrentHashMap<>(), SessionOptions.DEFAULT)) {
      b.isSilent = true;
      NodeHandles throwing =
          new NodeHandles() {
            @Override
            public Optional<byte[]> handle(String name) {
              return Optional.of(b.session.handle());
            }

            @Override
            public String whySilent(String name) {
              if (isThrown) {
                throw new IllegalStateException("on purpose");
              }
              return null;
            }
          };
      try (Session a = Session.open(transport, throwing, b, SessionOptions.DEFAULT)) {
        PeerSession toB = a.to("b");
        toB.connect();
        Awaitility.await().atMost(SessionNode.SOON).until(toB::isOpen);
        CompletableFuture<ByteBuffer> reply =
            toB.request(SessionNode.bytes("?"), Duration.ofMillis(30));
        Throwable late =
            assertThrows(
                    ExecutionException.class,
                    () -> reply.get(SessionNode.SOON.toSeconds(), TimeUnit.SECONDS))
                .getCause();
        assertEquals(Reason.TIMED_OUT, ((TransportException) late).reason());
        String why = isThrown ? "on purpose" : "NullPointerException: whySilent";
        assertTrue(late.getMessage().contains(why), late.getMessage());
      }
    }
  }
}
