// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.meshtransport.spi.Transport;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A container opens transports on threads of its own, whose context class loader has nothing of the
 * mesh. So does WildFly.
 */
class ContainerThreadTest {
  private final ClassLoader usual = Thread.currentThread().getContextClassLoader();

  @BeforeEach
  void beTheContainers() {
    Thread.currentThread().setContextClassLoader(ClassLoader.getPlatformClassLoader());
  }

  @AfterEach
  void giveTheThreadBack() {
    Thread.currentThread().setContextClassLoader(usual);
  }

  @Test
  void shouldFindTheImplementationAndItsVerbs() throws Exception {
    Map<String, String> settings =
        Map.of(
            "MESH_PROVIDER", "soft",
            "MESH_LOOPBACK", "127.90.17.1/24",
            "MESH_HANDSHAKE_PORT", "0");

    try (Transport transport = Transport.open(settings)) {
      assertEquals(1, transport.nics().size());
    }
  }
}
