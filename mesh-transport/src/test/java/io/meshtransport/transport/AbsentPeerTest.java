// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.spi.Listener;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a caller learns of a peer whose process has ended, and of one that is merely silent. */
class AbsentPeerTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final String PEER = "127.77.15.2";

  /**
   * A peer that has ended. Made while the other end is open, which has the usual port.
   *
   * @param port that it listened on
   */
  private record Former(byte[] handle, int port) {
    static Former at(String addresses) throws TransportException {
      try (Transport there = open(addresses, "5000");
          Listener listener = there.listen()) {
        return new Former(listener.handle(), there.handshakePort());
      }
    }
  }

  private static Transport open(String address, String timeoutMs) throws TransportException {
    return Transport.open(Map.of("MESH_LOOPBACK", address + "/24", "MESH_TIMEOUT_MS", timeoutMs));
  }

  private static Transport openAt(String address, int port) throws TransportException {
    return Transport.open(
        Map.of("MESH_LOOPBACK", address + "/24", "MESH_HANDSHAKE_PORT", String.valueOf(port)));
  }

  private static TransportException failure(Transport here, Former peer) {
    return assertThrows(TransportException.class, () -> here.connect(peer.handle(), LIMIT));
  }

  @Test
  void shouldTellThatTheHostOfAPeerHasNoSuchProcess() throws Exception {
    try (Transport here = open("127.77.15.1", "5000")) {
      TransportException failure = failure(here, Former.at(PEER));
      assertEquals(Reason.PEER_UNREACHABLE, failure.reason(), failure.toString());
      assertInstanceOf(ConnectException.class, failure.getCause());
    }
  }

  @Test
  @Tag("slow")
  void shouldTellThatAnotherProcessIsAtThePeersPort() throws Exception {
    try (Transport here = open("127.77.15.1", "5000")) {
      Former peer = Former.at(PEER);
      try (Transport another = openAt(PEER, peer.port());
          Listener listener = another.listen()) {
        TransportException failure = failure(here, peer);
        assertEquals(Reason.WRONG_PEER, failure.reason(), () -> listener + ": " + failure);
        assertInstanceOf(ConnectException.class, failure.getCause());
      }
    }
  }

  @Test
  void shouldNotTellSoOfAPeerThatDoesNotAnswer() throws Exception {
    try (Transport here = open("127.77.15.1", "500")) {
      Former peer = Former.at(PEER);
      try (ServerSocket mute = new ServerSocket(peer.port(), 5, InetAddress.getByName(PEER))) {
        TransportException failure = failure(here, peer);
        assertEquals(Reason.TIMED_OUT, failure.reason(), () -> mute + ": " + failure);
        assertFalse(failure.getCause() instanceof ConnectException);
      }
    }
  }

  @Test
  void shouldNotBelieveOneHostWhileAnotherAddressOfThePeerIsSilent() throws Exception {
    InetAddress silent = InetAddress.getByName("127.77.17.2");
    try (Transport here = open("127.77.16.1/24,127.77.17.1", "1000")) {
      Former peer = Former.at("127.77.16.2/24,127.77.17.2");
      try (ServerSocket mute = new ServerSocket(peer.port(), 5, silent)) {
        TransportException failure = failure(here, peer);
        assertTrue(failure.getMessage().contains("127.77.16.2"), () -> mute + ": " + failure);
        assertTrue(failure.getMessage().contains("127.77.17.2"), failure.toString());
        assertFalse(failure.getCause() instanceof ConnectException);
      }
    }
  }
}
