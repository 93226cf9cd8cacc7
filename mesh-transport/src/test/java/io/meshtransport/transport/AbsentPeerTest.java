package io.meshtransport.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
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
import org.junit.jupiter.api.Test;

/** What a caller learns of a peer whose process has ended, and of one that is merely silent. */
class AbsentPeerTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final String PEER = "127.77.15.2";

  private static Transport open(String address, String more) throws TransportException {
    return Transport.open(Map.of("MESH_LOOPBACK", address + "/24", "MESH_TIMEOUT_MS", more));
  }

  private static Transport openAt(String address, int port) throws TransportException {
    return Transport.open(
        Map.of("MESH_LOOPBACK", address + "/24", "MESH_HANDSHAKE_PORT", String.valueOf(port)));
  }

  private static TransportException failure(Transport here, byte[] handle) {
    return assertThrows(TransportException.class, () -> here.connect(handle, LIMIT));
  }

  @Test
  void shouldTellThatTheHostOfAPeerHasNoSuchProcess() throws Exception {
    try (Transport here = open("127.77.15.1", "5000")) {
      byte[] handle;
      try (Transport there = open(PEER, "5000");
          Listener listener = there.listen()) {
        handle = listener.handle();
      }
      TransportException failure = failure(here, handle);
      assertEquals(Reason.PEER_UNREACHABLE, failure.reason(), failure.toString());
      assertInstanceOf(ConnectException.class, failure.getCause());
    }
  }

  @Test
  void shouldNotTellSoOfAPeerThatDoesNotAnswer() throws Exception {
    try (Transport here = open("127.77.15.1", "500")) {
      byte[] handle;
      int port;
      try (Transport there = open(PEER, "5000");
          Listener listener = there.listen()) {
        handle = listener.handle();
        port = there.handshakePort();
      }
      try (ServerSocket mute = new ServerSocket(port, 5, InetAddress.getByName(PEER))) {
        TransportException failure = failure(here, handle);
        assertEquals(Reason.TIMED_OUT, failure.reason(), () -> mute + ": " + failure);
        assertNull(failure.getCause());
      }
    }
  }

  @Test
  void shouldTellThatAnotherProcessIsAtThePeersPort() throws Exception {
    try (Transport here = open("127.77.15.1", "5000")) {
      byte[] former;
      int port;
      try (Transport there = open(PEER, "5000");
          Listener listener = there.listen()) {
        former = listener.handle();
        port = there.handshakePort();
      }
      try (Transport another = openAt(PEER, port);
          Listener listener = another.listen()) {
        TransportException failure = failure(here, former);
        assertEquals(Reason.WRONG_PEER, failure.reason(), () -> listener + ": " + failure);
        assertInstanceOf(ConnectException.class, failure.getCause());
      }
    }
  }

  @Test
  void shouldNotBelieveOneHostWhileAnotherAddressOfThePeerIsSilent() throws Exception {
    String two = "127.77.16.1/24,127.77.17.1";
    try (Transport here = open(two, "1000")) {
      byte[] handle;
      int port;
      try (Transport there = open("127.77.16.2/24,127.77.17.2", "5000");
          Listener listener = there.listen()) {
        handle = listener.handle();
        port = there.handshakePort();
      }
      try (ServerSocket mute = new ServerSocket(port, 5, InetAddress.getByName("127.77.17.2"))) {
        TransportException failure = failure(here, handle);
        assertTrue(failure.getMessage().contains("127.77.16.2"), () -> mute + ": " + failure);
        assertTrue(failure.getMessage().contains("127.77.17.2"), failure.toString());
        assertNull(failure.getCause());
      }
    }
  }
}
