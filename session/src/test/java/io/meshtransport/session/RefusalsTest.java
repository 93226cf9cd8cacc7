// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.spi.ChannelState;
import io.meshtransport.spi.ConnectOptions;
import io.meshtransport.spi.Connection;
import io.meshtransport.spi.InMemoryTransport;
import io.meshtransport.spi.Listener;
import io.meshtransport.spi.TransportException.Reason;
import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Also tests {@link ConnectionClosers}. */
class RefusalsTest {
  private static final long SOON_NS = SessionNode.SOON.toNanos();

  private final InMemoryTransport transport = new InMemoryTransport("a");
  private final InMemoryTransport other = new InMemoryTransport("b");
  private final ConnectionClosers closers = new ConnectionClosers();
  private final Refusals refusals = new Refusals("a", 40, closers);
  private Connection connection;
  private Connection atPeer;

  @BeforeEach
  void connect() throws Exception {
    Listener listener = other.listen();
    connection = transport.connect(listener.handle(), ConnectOptions.DEFAULT, SessionNode.SOON);
    atPeer = listener.acceptConnection(SessionNode.SOON);
  }

  @AfterEach
  void close() {
    transport.close();
    other.close();
  }

  @Test
  void shouldTellThePeerWhyBeforeItsConnectionIsClosed() throws Exception {
    ByteBuffer frame = ByteBuffer.allocate(256);
    long receive = atPeer.irecv(frame, Frame.TAG);
    refusals.refuse(connection, new ProtocolException("it says nothing that is understood here"));
    assertTrue(closers.await(SOON_NS));
    assertEquals(Frame.HEADER_BYTES + 40, atPeer.await(receive, SessionNode.SOON));
    assertEquals(Frame.REFUSAL, Frame.kind(frame));
    String text = new String(frame.array(), Frame.HEADER_BYTES, 40, StandardCharsets.UTF_8);
    assertEquals("a says: it says nothing that is understo", text);
    assertEquals(ChannelState.CLOSED, connection.state());
    assertEquals(1, refusals.count());
  }

  @Test
  void shouldRefuseALinkOnce() throws Exception {
    Link link = new Link(() -> false, 0, connection, true, transport, SessionOptions.DEFAULT);
    refusals.refuse(link, null);
    refusals.refuse(link, "and again");
    refusals.refusedByPeer(link, "by the peer, too");
    assertTrue(closers.await(SOON_NS));
    assertEquals(Reason.CLOSED, link.refusal.reason());
    assertEquals(0, refusals.count(), "neither end is at fault");
    assertEquals(ChannelState.CLOSED, connection.state());
  }

  @Test
  void shouldNotCountWhatThePeerRefuses() throws Exception {
    Link link = new Link(() -> false, 0, connection, true, transport, SessionOptions.DEFAULT);
    refusals.refusedByPeer(link, "b says: no");
    assertEquals(Reason.REFUSED, link.refusal.reason());
    assertTrue(link.refusal.retryHelps());
    assertEquals(0, refusals.count());
    assertTrue(closers.await(SOON_NS));
  }

  @Test
  void shouldWaitForTheClosesThatHaveBegun() throws Exception {
    CountDownLatch mayEnd = new CountDownLatch(1);
    closers.execute(
        () -> {
          try {
            mayEnd.await(SOON_NS, TimeUnit.NANOSECONDS);
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
    assertFalse(closers.await(0));
    mayEnd.countDown();
    assertTrue(closers.await(SOON_NS));
  }
}
