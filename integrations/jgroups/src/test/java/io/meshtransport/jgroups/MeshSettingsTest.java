// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import org.junit.jupiter.api.Test;

class MeshSettingsTest {
  @Test
  void shouldNotSpinUnlessConfiguredTo() {
    assertEquals(Map.of("MESH_SPIN_US", "0"), MeshSettings.of("", "", name -> null));
    assertEquals(Map.of(), MeshSettings.of("", "", name -> "50"));
    assertEquals(
        Map.of("MESH_SPIN_US", "20"), MeshSettings.of("MESH_SPIN_US=20", "", name -> null));
  }

  @Test
  void shouldNameTheNodeOfTheMeshAsTheMember() {
    assertEquals("a", MeshSettings.of("", " a ", name -> null).get("MESH_NODE"));
    assertEquals("b", MeshSettings.of("MESH_NODE=b", "a", name -> null).get("MESH_NODE"));
    assertEquals(null, MeshSettings.of("", "a", name -> "c").get("MESH_NODE"));
    assertEquals(null, MeshSettings.of("", "a".repeat(33), name -> null).get("MESH_NODE"));
  }

  @Test
  void shouldKnowCablesOfTheLoopbackInterface() {
    Map<String, String> loopback = Map.of("MESH_LOOPBACK", "127.77.1.1/24");
    assertTrue(MeshSettings.isOnLoopback(loopback, name -> null));
    assertTrue(MeshSettings.isOnLoopback(Map.of(), loopback::get));
    assertFalse(MeshSettings.isOnLoopback(Map.of("MESH_LOOPBACK", ""), name -> null));
  }

  @Test
  void shouldAssumePeersWhereAllAreConfigured() {
    assertEquals(4791, MeshSettings.peersPort(0, "", name -> null));
    assertEquals(7800, MeshSettings.peersPort(7800, "MESH_HANDSHAKE_PORT=1", name -> "2"));
    assertEquals(5000, MeshSettings.peersPort(0, "MESH_HANDSHAKE_PORT=5000", name -> "2"));
    assertEquals(6000, MeshSettings.peersPort(0, "", name -> "6000"));
    // 0 is a port of the kernel's choice, and what is no number the transport refuses.
    assertEquals(4791, MeshSettings.peersPort(0, "", name -> "0"));
    assertEquals(4791, MeshSettings.peersPort(0, "", name -> "x"));
  }

  @Test
  void shouldReadSettingsSeparatedBySemicolons() {
    assertEquals(
        Map.of("MESH_DEBUG", "1", "MESH_JOB", "a=b"),
        MeshSettings.parse(" MESH_DEBUG = 1 ;; MESH_JOB=a=b;"));
  }

  @Test
  void shouldNameWhatIsNoSetting() {
    for (String wrong : new String[] {"MESH_DEBUG", "DEBUG=1", "MESH_DEBUG=1;x"}) {
      String message =
          assertThrows(IllegalArgumentException.class, () -> MeshSettings.parse(wrong))
              .getMessage();
      assertTrue(message.contains("MESH_NAME=value"), message);
    }
  }
}
