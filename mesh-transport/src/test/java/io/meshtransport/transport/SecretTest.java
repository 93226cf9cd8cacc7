// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.spi.HandshakeCount;
import io.meshtransport.spi.Listener;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * MESH_SECRET from the setting to the failure that a user sees.
 *
 * <p>Also tests {@link io.meshtransport.config.SecretFile}.
 */
class SecretTest {
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final String ONE = "the first of two secrets";
  private static final String OTHER = "the second of two secrets";

  @Test
  void shouldLetInWhoKnowsTheSecret() throws Exception {
    try (Transport left = open(1, ONE);
        Transport right = open(2, ONE);
        Listener listener = right.listen()) {
      assertEquals("127.77.10.2", left.connect(listener.handle(), SOON).route().peerAddress());
      assertEquals(1, count(left, "ESTABLISHED_OUTBOUND"));
      assertEquals(0, count(left, "ESTABLISHED_INBOUND"));
      assertEquals(1, count(right, "OFFERED"));
    }
  }

  @Test
  void shouldSayThatTheSecretsDiffer() throws Exception {
    assertRefused(ONE, OTHER, "different values of MESH_SECRET");
  }

  @Test
  void shouldSayThatTheConnectingSideHasNone() throws Exception {
    assertRefused("", ONE, "the connecting side has none");
  }

  @Test
  void shouldSayThatTheAcceptingSideHasNone() throws Exception {
    assertRefused(ONE, "", "the accepting side has none");
  }

  private static void assertRefused(String connecting, String accepting, String words)
      throws Exception {
    try (Transport left = open(1, connecting);
        Transport right = open(2, accepting);
        Listener listener = right.listen()) {
      TransportException refused =
          assertThrows(TransportException.class, () -> left.connect(listener.handle(), SOON));

      assertEquals(Reason.REFUSED, refused.reason());
      assertTrue(refused.getMessage().contains(words), refused.getMessage());
      // Whoever reads the statistics finds out why nobody gets in.
      HandshakeCount counted =
          left.statistics().handshakes().stream()
              .filter(count -> count.name().startsWith("OUTBOUND_FAILED_SECRET_"))
              .findFirst()
              .orElseThrow();
      assertEquals(1, counted.count());
      assertTrue(counted.description().contains(words), counted.description());
    }
  }

  private static long count(Transport transport, String name) {
    return transport.statistics().handshakes().stream()
        .filter(count -> count.name().equals(name))
        .mapToLong(HandshakeCount::count)
        .sum();
  }

  private static Transport open(int host, String secret) throws TransportException {
    Map<String, String> settings = new HashMap<>();
    settings.put("MESH_LOOPBACK", "127.77.10." + host + "/24");
    if (!secret.isEmpty()) {
      settings.put("MESH_SECRET", secret);
    }
    return Transport.open(settings);
  }
}
