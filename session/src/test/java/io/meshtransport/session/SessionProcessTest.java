// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a node notices of the end of another node's process. Also tests {@link SessionProcess}. */
@Tag("slow")
class SessionProcessTest {
  private static final Duration SOON = SessionNode.SOON;

  private static Map<String, String> settings(String name, int host) {
    return Map.of(
        "MESH_PROVIDER",
        "soft",
        "MESH_LOOPBACK",
        "127.44.1." + host + "/24",
        "MESH_HANDSHAKE_PORT",
        "0",
        "MESH_NODE",
        name);
  }

  private static long answer(PeerSession peer) throws TransportException {
    return Long.parseLong(SessionNode.text(peer.call(SessionNode.bytes("who?"), SOON)));
  }

  @Test
  void shouldProveTheEndOfAKilledProcessAndGoOnWithTheNext() throws Exception {
    Map<String, byte[]> handles = new ConcurrentHashMap<>();
    SessionOptions options =
        SessionOptions.DEFAULT.reconnect(SOON, Duration.ofMillis(20), Duration.ofMillis(100));
    try (SessionProcess first = SessionProcess.start(settings("b", 2));
        SessionNode a = new SessionNode(Transport.open(settings("a", 1)), handles, options)) {
      handles.put("b", first.handle());
      PeerSession toB = a.session.to("b");
      assertEquals(first.pid(), answer(toB));

      first.kill();
      Awaitility.await().atMost(SOON).until(() -> a.events.contains("b is down: PEER_GONE"));
      // The dial that follows finds that the host refuses connections to the port.
      CompletableFuture<ByteBuffer> waiting = toB.request(SessionNode.bytes("who?"), SOON);
      Awaitility.await().atMost(SOON).until(() -> a.events.contains("b has ended"));
      assertFalse(waiting.isDone(), "it waits for the next process");

      try (SessionProcess second = SessionProcess.start(settings("b", 2))) {
        handles.put("b", second.handle());
        toB.connectNow();
        ByteBuffer reply = waiting.get(SOON.toSeconds(), TimeUnit.SECONDS);
        assertEquals("" + second.pid(), SessionNode.text(reply));
        assertEquals(1, a.events.stream().filter("b has ended"::equals).count());
        assertEquals(PeerState.OPEN, toB.state());
      }
    }
  }

  @Test
  void shouldSayForHowLongNothingHasComeFromAStoppedProcess() throws Exception {
    Map<String, byte[]> handles = new ConcurrentHashMap<>();
    try (SessionProcess b = SessionProcess.start(settings("b", 6));
        SessionNode a =
            new SessionNode(Transport.open(settings("a", 5)), handles, SessionOptions.DEFAULT)) {
      handles.put("b", b.handle());
      PeerSession toB = a.session.to("b");
      answer(toB);
      b.stop();
      // What came before it stopped may be read after the first request has begun.
      String late =
          Awaitility.await()
              .atMost(SOON)
              .until(() -> timeOut(toB), text -> text.contains("Nothing has come from b ("));
      assertTrue(late.contains("its program is stopped or busy"), late);
    }
  }

  private static String timeOut(PeerSession peer) {
    TransportException late =
        assertThrows(
            TransportException.class,
            () -> peer.call(SessionNode.bytes("who?"), Duration.ofMillis(50)));
    assertEquals(TransportException.Reason.TIMED_OUT, late.reason());
    return late.getMessage();
  }

  @Test
  void shouldFailTheCallThatAKilledProcessHad() throws Exception {
    Map<String, byte[]> handles = new ConcurrentHashMap<>();
    try (SessionProcess b = SessionProcess.start(settings("b", 4));
        SessionNode a =
            new SessionNode(Transport.open(settings("a", 3)), handles, SessionOptions.DEFAULT)) {
      handles.put("b", b.handle());
      PeerSession toB = a.session.to("b");
      answer(toB);
      // Stopped, so that the request has arrived and is not answered.
      b.stop();
      CompletableFuture<ByteBuffer> reply = toB.request(SessionNode.bytes("who?"), SOON);
      b.kill();
      ExecutionException why =
          assertThrows(
              ExecutionException.class, () -> reply.get(SOON.toSeconds(), TimeUnit.SECONDS));
      TransportException failure = (TransportException) why.getCause();
      assertEquals(TransportException.Reason.PEER_GONE, failure.reason());
      assertTrue(failure.retryHelps());
    }
  }
}
