// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.handshake.NodeId;
import io.meshtransport.neighbours.adjacency.AdjacencyId;
import io.meshtransport.neighbours.verdict.ProbeAnswer;
import io.meshtransport.nic.AddressText;
import io.meshtransport.spi.FreePorts;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** {@link LivenessConnections} on loopback; {@link ReadyChannel}. */
class LivenessConnectionsTest {
  /** More than a queue of one takes, which Linux rounds up. */
  private static final int CROWD = 8;

  private static final InetAddress LOOPBACK = AddressText.parse("127.0.0.1");
  private static final AdjacencyId CABLE = new AdjacencyId(1, new NodeId(1, 2), 3);

  private final List<String> answers = new ArrayList<>();
  private final LivenessConnections.Answers listener =
      new LivenessConnections.Answers() {
        @Override
        public void answered(AdjacencyId cable, ProbeAnswer answer) {
          answers.add(answer.name());
        }

        @Override
        public void ended(AdjacencyId cable) {
          answers.add("ended");
        }
      };

  private Selector selector;
  private int port;
  private LivenessConnections connections;

  @BeforeEach
  void open() throws IOException {
    selector = Selector.open();
    port = FreePorts.next();
    connections =
        new LivenessConnections(
            port, selector, System::nanoTime, address -> address.equals(LOOPBACK), listener);
  }

  @AfterEach
  void close() throws IOException {
    connections.close();
    selector.close();
  }

  private void runUntil(BooleanSupplier holds) throws IOException {
    long endNs = System.nanoTime() + 60_000_000_000L;
    while (!holds.getAsBoolean()) {
      assertTrue(System.nanoTime() < endNs, "not so after 60 s: " + answers);
      selector.select(10);
      for (SelectionKey each : selector.selectedKeys()) {
        ((ReadyChannel) each.attachment()).ready();
      }
      selector.selectedKeys().clear();
      connections.tick(System.nanoTime());
    }
  }

  private void awaitAnswers(String... expected) throws IOException {
    runUntil(() -> answers.size() >= expected.length);
    assertEquals(List.of(expected), answers);
  }

  @Test
  void shouldBeAcceptedAndRefusedByAHost() throws IOException {
    connections.probe(CABLE, LOOPBACK);
    awaitAnswers("ACCEPTED");
    connections.release(CABLE);
    connections.close();
    connections.probe(CABLE, LOOPBACK);
    awaitAnswers("ACCEPTED", "REFUSED");
  }

  @Test
  void shouldNoticeThatTheOtherEndHasClosed() throws IOException {
    connections.close();
    try (ServerSocket other = new ServerSocket()) {
      other.setReuseAddress(true);
      other.bind(new InetSocketAddress(port));
      connections.probe(CABLE, LOOPBACK);
      awaitAnswers("ACCEPTED");
      other.accept().close();
      awaitAnswers("ACCEPTED", "ended");
    }
  }

  @Test
  void shouldHaveNoAnswerWhereNothingComesBack() throws IOException {
    connections.close();
    List<SocketChannel> crowd = new ArrayList<>();
    try (ServerSocket full = new ServerSocket()) {
      full.setReuseAddress(true);
      full.bind(new InetSocketAddress(port), 1);
      // A host drops the first packet of a connection that its full queue has no place for.
      for (int i = 0; i < CROWD; i++) {
        SocketChannel one = SocketChannel.open();
        crowd.add(one);
        one.configureBlocking(false);
        one.connect(new InetSocketAddress(LOOPBACK, port));
      }
      connections.probe(CABLE, LOOPBACK);
      awaitAnswers("NONE");
    } finally {
      for (SocketChannel one : crowd) {
        one.close();
      }
    }
  }

  @Test
  void shouldAcceptFewConnectionsFromOneAddress() throws IOException {
    List<Socket> sockets = new ArrayList<>();
    for (int i = 0; i <= LivenessConnections.MAX_PER_ADDRESS; i++) {
      Socket socket = new Socket();
      socket.connect(new InetSocketAddress(LOOPBACK, port), 60_000);
      sockets.add(socket);
    }
    Socket last = sockets.get(LivenessConnections.MAX_PER_ADDRESS);
    last.setSoTimeout(1);
    runUntil(() -> hasEnded(last));
    Socket first = sockets.get(0);
    first.setSoTimeout(1);
    assertTrue(!hasEnded(first), "the first connection has ended");
    first.getOutputStream().write(1);
    runUntil(() -> hasEnded(first));
    for (Socket each : sockets) {
      each.close();
    }
  }

  private static boolean hasEnded(Socket socket) {
    try {
      return socket.getInputStream().read() < 0;
    } catch (SocketTimeoutException e) {
      return false;
    } catch (IOException e) {
      return true;
    }
  }

  @Test
  void shouldShareItsPortWithNoOtherProgram() {
    String text =
        assertThrows(
                IOException.class,
                () ->
                    new LivenessConnections(
                        port, selector, System::nanoTime, address -> true, listener))
            .getMessage();
    assertTrue(
        text.contains("). It is in use by this process itself. End the program that "), text);
    assertTrue(text.contains("MESH_NEIGHBOUR_PORT"), text);
  }
}
