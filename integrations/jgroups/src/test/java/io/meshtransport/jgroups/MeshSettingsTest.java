package io.meshtransport.jgroups;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import org.junit.jupiter.api.Test;

class MeshSettingsTest {
  @Test
  void shouldNotSpinUnlessSomebodySaysSo() {
    assertEquals(Map.of("MESH_SPIN_US", "0"), MeshSettings.of("", name -> false));
    assertEquals(Map.of(), MeshSettings.of("", "MESH_SPIN_US"::equals));
    assertEquals(Map.of("MESH_SPIN_US", "20"), MeshSettings.of("MESH_SPIN_US=20", name -> false));
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
