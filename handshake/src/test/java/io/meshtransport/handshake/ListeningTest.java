// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.meshtransport.handshake.HandshakeException.Reason;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/**
 * Where a node can be reached: at the addresses it was given, at one port, while they are there.
 *
 * <p>Also tests {@link ListeningSockets}.
 */
class ListeningTest {
  private static final InetAddress FIRST = address("127.0.5.1");
  private static final InetAddress SECOND = address("127.0.5.2");

  /** TEST-NET-1 (RFC 5737) is on no host. */
  private static final InetAddress ABSENT = address("192.0.2.1");

  private static InetAddress address(String text) {
    try {
      return InetAddress.getByName(text);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static boolean isReached(InetAddress address, int port) throws IOException {
    try (Socket socket = new Socket(address, port)) {
      return socket.isConnected();
    } catch (ConnectException refused) {
      return false;
    }
  }

  private static void assertReached(TestNode node, boolean first, boolean second)
      throws IOException {
    assertEquals(first, isReached(FIRST, node.handshaker.port()));
    assertEquals(second, isReached(SECOND, node.handshaker.port()));
  }

  private static void awaitReached(TestNode node, boolean first, boolean second) {
    Awaitility.await()
        .atMost(TestNode.PATIENCE_S, TimeUnit.SECONDS)
        .untilAsserted(() -> assertReached(node, first, second));
  }

  @Test
  void shouldListenOnItsAddressesAlone() throws Exception {
    try (TestNode both = new TestNode(TestNode.patient(), Set.of(FIRST, SECOND));
        TestNode one = new TestNode(TestNode.patient(), Set.of(SECOND))) {
      assertReached(both, true, true);
      assertReached(one, false, true);
    }
  }

  @Test
  void shouldFollowAddressesThatComeAndGo() throws Exception {
    try (TestNode node = new TestNode(TestNode.patient(), Set.of(FIRST))) {
      int port = node.handshaker.port();
      node.handshaker.listenOn(Set.of(FIRST, SECOND));
      awaitReached(node, true, true);
      node.handshaker.listenOn(Set.of(SECOND));
      awaitReached(node, false, true);
      node.handshaker.listenOn(Set.of());
      awaitReached(node, false, false);
      node.handshaker.listenOn(Set.of(FIRST));
      awaitReached(node, true, false);
      assertEquals(port, node.handshaker.port());
    }
  }

  @Test
  void shouldHaveItsPortBeforeTheHostHasAnyAddress() throws Exception {
    try (TestNode node = new TestNode(TestNode.patient(), Set.of(ABSENT))) {
      assertNotEquals(0, node.handshaker.port());
      node.handshaker.listenOn(Set.of(ABSENT, FIRST));
      awaitReached(node, true, false);
    }
  }

  @Test
  void shouldListenOnTheOthersWhereOneAddressIsAbsent() throws Exception {
    try (LogWatch watch = new LogWatch();
        TestNode node = new TestNode(TestNode.patient(), Set.of(ABSENT, FIRST))) {
      assertReached(node, true, false);
      Awaitility.await()
          .atMost(TestNode.PATIENCE_S, TimeUnit.SECONDS)
          .until(() -> !watch.alarms().isEmpty());
      node.handshaker.listenOn(Set.of(ABSENT, FIRST, SECOND));
      awaitReached(node, true, true);
      assertEquals(1, watch.alarms().size(), "said once of an address: " + watch.alarms());
    }
  }

  @Test
  void shouldListenOnAnotherPortFreeOnAllAddressesWhereItsOwnIsAPreference() throws Exception {
    try (ServerSocket other = new ServerSocket(0, 1, SECOND)) {
      HandshakeSettings wish =
          TestNode.patient().withPort(other.getLocalPort()).orAnyPort(/* any= */ true);
      try (TestNode node = new TestNode(wish, Set.of(FIRST, SECOND))) {
        assertNotEquals(other.getLocalPort(), node.handshaker.port());
        assertReached(node, true, true);
      }
    }
  }

  @Test
  void shouldRefuseAPortThatIsInUseOnOneAddressAndLeaveNothingOpen() throws Exception {
    try (ServerSocket other = new ServerSocket(0, 1, SECOND)) {
      HandshakeSettings strict = TestNode.patient().withPort(other.getLocalPort());
      HandshakeException taken =
          assertThrows(HandshakeException.class, () -> new TestNode(strict, Set.of(FIRST, SECOND)));
      assertEquals(Reason.LOCAL_SOCKET, taken.reason());
      // The event loop lets go of a socket that is closed at its next round.
      Awaitility.await()
          .atMost(TestNode.PATIENCE_S, TimeUnit.SECONDS)
          .ignoreExceptions()
          .untilAsserted(() -> new ServerSocket(other.getLocalPort(), 1, FIRST).close());
    }
  }

  @Test
  void shouldTryAgainUntilThePortOfANewAddressIsFree() throws Exception {
    try (LogWatch watch = new LogWatch();
        TestNode node = new TestNode(TestNode.patient(), Set.of(FIRST))) {
      try (ServerSocket other = new ServerSocket(node.handshaker.port(), 1, SECOND)) {
        node.handshaker.listenOn(Set.of(FIRST, SECOND));
        Awaitility.await()
            .atMost(TestNode.PATIENCE_S, TimeUnit.SECONDS)
            .until(() -> !watch.alarms().isEmpty());
        assertEquals(SECOND, other.getInetAddress());
      }
      awaitReached(node, true, true);
      assertEquals(1, watch.alarms().size(), "said once: " + watch.alarms());
    }
  }

  @Test
  void shouldLetTwoNodesOfOneHostHaveTheSamePort() throws Exception {
    try (TestNode first = new TestNode(TestNode.patient(), Set.of(FIRST));
        TestNode second =
            new TestNode(TestNode.patient().withPort(first.handshaker.port()), Set.of(SECOND))) {
      assertEquals(first.handshaker.port(), second.handshaker.port());
    }
  }
}
