// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.spi.ChannelState;
import io.meshtransport.spi.ConnectOptions;
import io.meshtransport.spi.Connection;
import io.meshtransport.spi.InMemoryTransport;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A session whose peers break its protocol. Also tests {@link NodeHandles} and {@link Reply}. */
class SessionIntruderTest {
  private static final Duration SOON = SessionNode.SOON;
  private static final SessionOptions OPTIONS = SessionOptions.DEFAULT.slots(16, 8);

  private final Map<String, byte[]> handles = new ConcurrentHashMap<>();
  private SessionNode a;
  private SessionNode honest;
  private InMemoryTransport intruder;

  @BeforeEach
  void open() throws Exception {
    a = new SessionNode(new InMemoryTransport("a"), handles, OPTIONS);
    honest = new SessionNode(new InMemoryTransport("honest"), handles, OPTIONS);
    intruder = new InMemoryTransport("intruder");
  }

  @AfterEach
  void close() throws Exception {
    assertEquals(
        "2!",
        SessionNode.text(honest.session.to("a").call(SessionNode.bytes("2"), SOON)),
        "an honest peer must not notice");
    honest.close();
    a.close();
    intruder.close();
  }

  private Connection connect(byte[] hello) throws Exception {
    Connection connection =
        intruder.connect(handles.get("a"), ConnectOptions.DEFAULT.hello(hello), SOON);
    for (int i = 0; i < 8; i++) {
      connection.irecv(ByteBuffer.allocateDirect(OPTIONS.slotBytes()), Frame.TAG);
    }
    return connection;
  }

  private static void send(Connection connection, ByteBuffer message) {
    connection.isend(message, Frame.TAG);
  }

  private static void awaitEnd(Connection connection) {
    Awaitility.await().atMost(SOON).until(() -> connection.state() == ChannelState.FAILED);
    connection.close();
  }

  @Test
  void shouldRefuseAnotherHello() throws Exception {
    awaitEnd(connect("whatever".getBytes()));
    assertTrue(a.session.peers().isEmpty(), "an outsider is no peer");
    assertEquals(1, a.session.refused());
  }

  @ParameterizedTest
  @CsvSource({
    "a welcome of the end that connects, 1, 0, 0, 0, 0",
    "an unknown kind, 9, 0, 0, 0, 0",
    "kind 0, 0, 0, 0, 0, 0",
    "a length that is not the frame's, 2, 0, 7, 0, 8",
    "a negative length, 2, 1, -5, 0, 8",
    "a length above the limit, 2, 1, 2000000000, 0, 8"
  })
  void shouldCloseTheConnectionOfAPeerThatBreaksTheProtocol(
      String what, byte kind, byte flags, int lengthBytes, long id, int count) throws Exception {
    Connection connection = connect(Frame.hello("intruder", OPTIONS));
    ByteBuffer frame = ByteBuffer.allocate(Frame.HEADER_BYTES + count);
    Frame.put(frame, kind, flags, lengthBytes, id);
    send(connection, frame);
    awaitEnd(connection);
  }

  @Test
  void shouldCloseTheConnectionOfAPeerWhoseFramesHaveNoHeader() throws Exception {
    Connection connection = connect(Frame.hello("intruder", OPTIONS));
    send(connection, ByteBuffer.allocate(Frame.HEADER_BYTES - 1));
    awaitEnd(connection);
  }

  @Test
  void shouldIgnoreRepliesThatNobodyWaitsFor() throws Exception {
    Connection connection = connect(Frame.hello("intruder", OPTIONS));
    ByteBuffer frame = ByteBuffer.allocate(Frame.HEADER_BYTES);
    Frame.put(frame, Frame.REPLY, (byte) 0, 0, 77);
    send(connection, frame);
    frame = ByteBuffer.allocate(Frame.HEADER_BYTES + 1);
    Frame.put(frame, Frame.MESSAGE, (byte) 0, 1, 0);
    send(connection, frame.put(Frame.HEADER_BYTES, (byte) 'x'));
    Awaitility.await().atMost(SOON).until(() -> a.events.contains("intruder says x"));
    connection.close();
  }

  @Test
  void shouldSurviveGarbage() throws Exception {
    Random random = new Random(11);
    for (int round = 0; round < 200; round++) {
      Connection connection = connect(Frame.hello("intruder", OPTIONS));
      for (int i = 0; i < 3; i++) {
        ByteBuffer frame = ByteBuffer.allocate(random.nextInt(64));
        random.nextBytes(frame.array());
        if (frame.capacity() > 2) {
          // Often a kind that exists.
          frame.put(0, (byte) random.nextInt(8)).put(1, (byte) random.nextInt(2));
        }
        send(connection, frame);
      }
      connection.close();
    }
    assertEquals(0, a.session.handlerFailures());
  }
}
