package io.meshtransport.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

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
}
