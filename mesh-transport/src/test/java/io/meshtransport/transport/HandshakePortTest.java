// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.config.MeshConfig;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** MESH_HANDSHAKE_PORT: what is asked for, what is a wish, and what the kernel chooses. */
class HandshakePortTest {
  @Test
  void shouldHaveTheDefaultThatTheInterfaceNames() {
    assertEquals(Transport.DEFAULT_HANDSHAKE_PORT, MeshConfig.defaults().handshakePort());
  }

  @Test
  void shouldTakeAnotherPortWhereTheDefaultIsTaken() throws Exception {
    try (Transport first = open(1, "");
        Transport second = open(1, "")) {
      assertNotEquals(first.handshakePort(), second.handshakePort());
      assertNotEquals(Transport.DEFAULT_HANDSHAKE_PORT, second.handshakePort());
      assertTrue(second.handshakePort() > 0);
    }
  }

  @Test
  void shouldRefuseAPortThatWasAskedForAndIsTaken() throws Exception {
    try (Transport first = open(1, "0")) {
      String taken = Integer.toString(first.handshakePort());
      TransportException refused = assertThrows(TransportException.class, () -> open(1, taken));

      assertEquals(Reason.NO_RESOURCES, refused.reason());
      assertTrue(refused.getMessage().contains("TCP port " + taken), refused.getMessage());
      assertTrue(refused.getMessage().contains("MESH_HANDSHAKE_PORT"), refused.getMessage());
    }
  }

  @Test
  void shouldLeaveAPortToOthersAtOtherAddresses() throws Exception {
    try (Transport first = open(1, "0");
        Transport second = open(2, Integer.toString(first.handshakePort()))) {
      assertEquals(first.handshakePort(), second.handshakePort());
    }
  }

  private static Transport open(int host, String port) throws TransportException {
    Map<String, String> settings = new HashMap<>();
    settings.put("MESH_LOOPBACK", "127.77.14." + host + "/24");
    if (!port.isEmpty()) {
      settings.put("MESH_HANDSHAKE_PORT", port);
    }
    return Transport.open(settings);
  }
}
