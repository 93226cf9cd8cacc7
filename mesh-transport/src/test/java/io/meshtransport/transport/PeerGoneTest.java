// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.spi.ChannelFuture;
import io.meshtransport.spi.ConnectOptions;
import io.meshtransport.spi.Connection;
import io.meshtransport.spi.Listener;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A connect that is under way when the peer's node is known to be gone; the contract has the rest.
 */
@Timeout(60)
class PeerGoneTest {
  private static final String ADDRESS = "127.77.31.2";
  private static final Duration LIMIT = Duration.ofSeconds(30);

  /** Its kernel accepts the connection of the handshake, and no program answers it. */
  @Test
  void shouldFailAConnectUnderWay() throws Exception {
    byte[] handle;
    String id;
    int port;
    try (Transport gone = MeshTransportContractTest.open("gone", ADDRESS + "/24");
        Listener listener = gone.listen()) {
      handle = listener.handle();
      id = gone.self().id();
      port = gone.handshakePort();
    }
    try (ServerSocket silent = new ServerSocket(port, 50, InetAddress.getByName(ADDRESS));
        Transport transport = MeshTransportContractTest.open("a", "127.77.31.1/24")) {
      ChannelFuture<Connection> opening = transport.connect(handle, ConnectOptions.DEFAULT);
      silent.accept().getInputStream().read();
      assertFalse(opening.isDone());
      transport.peerGone(id, "its host refuses connections");
      TransportException failure =
          assertThrows(TransportException.class, () -> opening.await(LIMIT));
      assertEquals(Reason.PEER_GONE, failure.reason());
      assertTrue(failure.getMessage().contains("its host refuses connections"), "" + failure);
    }
  }
}
