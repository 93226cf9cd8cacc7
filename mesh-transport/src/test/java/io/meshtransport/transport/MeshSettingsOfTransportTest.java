// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.meshtransport.spi.MeshProvider;
import io.meshtransport.spi.Transport;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What a {@link MeshTransport} was opened with counts for its mesh: {@link MeshProvider}. */
class MeshSettingsOfTransportTest {
  private static final Map<String, String> GIVEN =
      Map.of(
          "MESH_LOOPBACK", "127.77.12.1/8",
          "MESH_NODE", "a",
          "MESH_NEIGHBOUR_PORT", "4800",
          "MESH_SECRET", "a secret of thirty-two characters");

  @Test
  void shouldJoinAMeshWithItsSettings() throws Exception {
    Map<String, String> seen = new HashMap<>();
    MeshProvider provider =
        (transport, settings) -> {
          seen.putAll(settings);
          return null;
        };
    try (Transport transport = Transport.open(GIVEN)) {
      assertNull(transport.joinMesh(provider, Map.of("MESH_NEIGHBOUR_PORT", "4801")));
    }
    Map<String, String> expected = new HashMap<>(GIVEN);
    expected.put("MESH_NEIGHBOUR_PORT", "4801");
    assertEquals(expected, seen);
  }
}
