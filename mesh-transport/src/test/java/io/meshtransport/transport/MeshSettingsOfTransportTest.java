// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.fail;

import io.meshtransport.spi.MeshProvider;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * What a {@link MeshTransport} was opened with counts for its mesh: {@link MeshProvider}, {@link
 * ProgramSettings}.
 */
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

  @Test
  void shouldJoinNoMeshOnceItIsClosed() throws Exception {
    Transport transport = Transport.open(GIVEN);
    transport.close();
    MeshProvider provider = (closed, settings) -> fail("joined a mesh");
    TransportException why =
        assertThrows(TransportException.class, () -> transport.joinMesh(provider, Map.of()));
    assertEquals(TransportException.Reason.CLOSED, why.reason());
  }

  @Test
  void shouldPreferWhatIsGivenLast() {
    Map<String, String> first = new HashMap<>(Map.of("MESH_NODE", "a", "MESH_SECRET", "x"));
    first.put("MESH_DEBUG", null);
    ProgramSettings given = ProgramSettings.of(first);
    Map<String, String> second = new HashMap<>(Map.of("MESH_NODE", " ", "MESH_SECRET_FILE", "f"));
    second.put("MESH_SECRET", null);
    assertEquals(Map.of("MESH_NODE", "a", "MESH_SECRET_FILE", "f"), given.overriddenBy(second));
    assertEquals(
        Map.of("MESH_NODE", "b", "MESH_SECRET", "x"), given.overriddenBy(Map.of("MESH_NODE", "b")));
    assertEquals(
        Map.of("MESH_NODE", "a", "MESH_SECRET", ""), given.overriddenBy(Map.of("MESH_SECRET", "")));
  }
}
