// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.spi.Listener;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import io.meshtransport.transport.connect.HandleLookup;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Who answers wrongly, or not at all, and what the asker is told.
 *
 * <p>Also tests {@link HandleLookup}.
 */
class AskTest {
  private static final String HOST = "127.77.13.2";
  private static final int PATIENCE_S = 30;
  private static final int LONG_MS = 60_000;
  private static final int SHORT_MS = 300;

  @Test
  void shouldCallWhoeverTalksNonsenseAOutsider() throws Exception {
    try (Transport asker = open(1, "", LONG_MS);
        ServerSocket outsider = outsider()) {
      CompletableFuture<byte[]> asked = asker.lookup(addressOf(outsider));
      try (Socket connection = outsider.accept()) {
        connection
            .getOutputStream()
            .write("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        TransportException why = failure(asked);
        assertEquals(Reason.PROTOCOL, why.reason());
        assertFalse(why.retryHelps());
        assertTrue(why.getMessage().contains("no mesh transport: it says \"HTTP/1.1 400"));
      }
    }
  }

  @Test
  void shouldSayThatOtherSoftwareClosesWithoutAnAnswer() throws Exception {
    try (Transport asker = open(1, "", LONG_MS);
        ServerSocket outsider = outsider()) {
      CompletableFuture<byte[]> asked = asker.lookup(addressOf(outsider));
      // Again and again, until the asker has given up.
      Thread closing =
          new Thread(
              () -> {
                while (!asked.isDone()) {
                  try {
                    outsider.accept().close();
                  } catch (IOException end) {
                    return;
                  }
                }
              });
      closing.setDaemon(true);
      closing.start();
      TransportException why = failure(asked);
      assertEquals(Reason.PEER_UNREACHABLE, why.reason());
      assertTrue(why.retryHelps());
      assertNull(why.getCause(), "its host has not refused");
      assertTrue(why.getMessage().contains("closes without an answer"), why.getMessage());
    }
  }

  @Test
  void shouldGiveUpOnWhoSaysNothing() throws Exception {
    try (Transport asker = open(1, "", SHORT_MS);
        ServerSocket outsider = outsider()) {
      assertEquals(Reason.TIMED_OUT, failure(asker.lookup(addressOf(outsider))).reason());
    }
  }

  @Test
  void shouldEndWithTheTransport() throws Exception {
    try (ServerSocket outsider = outsider()) {
      CompletableFuture<byte[]> asked;
      Socket connection;
      try (Transport asker = open(1, "", LONG_MS)) {
        asked = asker.lookup(addressOf(outsider));
        connection = outsider.accept();
      }
      assertEquals(Reason.CLOSED, failure(asked).reason());
      connection.close();
    }
  }

  @Test
  void shouldHangUpWhenItIsGivenUp() throws Exception {
    try (Transport asker = open(1, "", LONG_MS);
        ServerSocket outsider = outsider()) {
      CompletableFuture<byte[]> asked = asker.lookup(addressOf(outsider));
      try (Socket connection = outsider.accept()) {
        connection.setSoTimeout((int) TimeUnit.SECONDS.toMillis(PATIENCE_S));
        asked.cancel(false);
        // What it said first, then the end, which a reset announces just as well.
        readToTheEnd(connection);
      }
    }
  }

  private static void readToTheEnd(Socket connection) throws Exception {
    try {
      while (connection.getInputStream().read() >= 0) {
        assertTrue(connection.isConnected());
      }
    } catch (SocketTimeoutException e) {
      throw new AssertionError("the connection stayed open", e);
    } catch (SocketException reset) {
      assertTrue(reset.getMessage().contains("reset"), reset.getMessage());
    }
  }

  @Test
  void shouldSayWhoseSecretIsMissing() throws Exception {
    assertRefused("", "the one secret there is", "the connecting side has none");
    assertRefused("the one secret there is", "", "the accepting side has none");
    assertRefused("one of two secrets", "the other secret", "different values of MESH_SECRET");
  }

  @Test
  void shouldTellThatTheHostRefuses() throws Exception {
    InetSocketAddress nobody;
    try (ServerSocket gone = outsider()) {
      nobody = addressOf(gone);
    }
    try (Transport asker = open(1, "", LONG_MS)) {
      TransportException refused = failure(asker.lookup(nobody));
      assertEquals(Reason.PEER_UNREACHABLE, refused.reason());
      assertEquals(java.net.ConnectException.class, refused.getCause().getClass());
    }
  }

  private static void assertRefused(String asking, String asked, String words) throws Exception {
    try (Transport asker = open(1, asking, LONG_MS);
        Transport peer = open(2, asked, LONG_MS);
        Listener listener = peer.listen()) {
      TransportException refused =
          failure(asker.lookup(new InetSocketAddress(HOST, peer.handshakePort())));

      assertEquals(Reason.REFUSED, refused.reason(), listener.toString());
      assertTrue(refused.getMessage().contains(words), refused.getMessage());
      assertNull(refused.getCause(), "stack traces have the text once");
    }
  }

  private static ServerSocket outsider() throws Exception {
    return new ServerSocket(0, 1, InetAddress.getByName(HOST));
  }

  private static InetSocketAddress addressOf(ServerSocket outsider) {
    return new InetSocketAddress(outsider.getInetAddress(), outsider.getLocalPort());
  }

  private static TransportException failure(CompletableFuture<byte[]> asked) {
    ExecutionException failed =
        assertThrows(ExecutionException.class, () -> asked.get(PATIENCE_S, TimeUnit.SECONDS));
    return assertInstanceOf(TransportException.class, failed.getCause());
  }

  private static Transport open(int host, String secret, int timeoutMs) throws TransportException {
    Map<String, String> settings = new HashMap<>();
    settings.put("MESH_LOOPBACK", "127.77.13." + host + "/24");
    settings.put("MESH_HANDSHAKE_PORT", "0");
    settings.put("MESH_TIMEOUT_MS", Integer.toString(timeoutMs));
    if (!secret.isEmpty()) {
      settings.put("MESH_SECRET", secret);
    }
    return Transport.open(settings);
  }
}
