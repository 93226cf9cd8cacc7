// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.meshtransport.handshake.HandshakeCounters.Counter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** One host cannot keep the others out, with a HELLO that no READY follows. */
class HalfOpenShareTest {
  private static final int PLACES = 8;

  private static InetAddress host(int number) throws Exception {
    return InetAddress.getByName("127.0.6." + number);
  }

  /** A connection that sends HELLO, and then nothing: it occupies a queue pair of the other end. */
  private static RawConnection silentAfterHello(InetAddress from, TestNode to, int number)
      throws Exception {
    Socket socket = new Socket();
    socket.bind(new InetSocketAddress(from, 0));
    socket.connect(new InetSocketAddress(TestNode.LOOPBACK, to.handshaker.port()));
    return new RawConnection(socket)
        .send(
            new Hello(
                HandshakeFrameType.HELLO_CONNECT,
                Samples.SENDER,
                to.id,
                new ConnectionNonce(number, from.hashCode()),
                0,
                0,
                0,
                TestNode.endpointAt(from, number)));
  }

  @Test
  void shouldLeavePlacesToOthersHoweverManyOneHostWants() throws Exception {
    List<RawConnection> outsiders = new ArrayList<>();
    try (TestNode node = new TestNode(TestNode.patient(PLACES));
        TestNode peer = new TestNode(TestNode.patient(PLACES))) {
      for (int i = 1; i <= 4 * PLACES; i++) {
        outsiders.add(silentAfterHello(host(1), node, i));
      }
      Awaitility.await()
          .atMost(TestNode.PATIENCE_S, TimeUnit.SECONDS)
          .untilAsserted(
              () -> {
                assertEquals(PLACES / 4, node.count(Counter.HALF_OPEN));
                // The queue is full; the others were refused with BUSY.
                assertEquals(
                    4 * PLACES,
                    node.count(Counter.HALF_OPEN)
                        + node.count(Counter.QUEUED)
                        + node.handshaker
                            .counters()
                            .inboundFailures(HandshakeException.Reason.BUSY));
              });
      peer.connectTo(node, 1).get(TestNode.PATIENCE_S, TimeUnit.SECONDS);
      // The end that connects is ready first; the other one then gives the place back.
      Awaitility.await()
          .atMost(TestNode.PATIENCE_S, TimeUnit.SECONDS)
          .untilAsserted(() -> assertEquals(PLACES / 4, node.count(Counter.HALF_OPEN)));
    } finally {
      for (RawConnection outsider : outsiders) {
        outsider.close();
      }
    }
  }

  @Test
  void shouldServeAHostsNextWhenOneOfItsPlacesIsGivenBack() throws Exception {
    List<RawConnection> connections = new ArrayList<>();
    try (TestNode node = new TestNode(TestNode.patient(PLACES))) {
      for (int host = 1; host <= 3; host++) {
        for (int i = 1; i <= 5; i++) {
          connections.add(silentAfterHello(host(host), node, i));
        }
      }
      Awaitility.await()
          .atMost(TestNode.PATIENCE_S, TimeUnit.SECONDS)
          .until(() -> node.count(Counter.HALF_OPEN) == 3 * PLACES / 4);
      for (RawConnection connection : connections) {
        connection.close();
      }
      Awaitility.await()
          .atMost(TestNode.PATIENCE_S, TimeUnit.SECONDS)
          .until(() -> node.count(Counter.HALF_OPEN) + node.count(Counter.QUEUED) == 0);
      assertEquals(node.offered.size(), node.abandoned.size());
    }
  }
}
