// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class SettingTableTest {
  @Test
  void shouldHaveOneMarkdownRowPerSetting() {
    List<String> lines = MeshConfig.markdownTable().lines().toList();
    assertEquals(Setting.all().size() + 2, lines.size());
    assertEquals("| Setting | Default | Values | Unit | Why |", lines.get(0));
    assertEquals(
        "| `MESH_IB_TIMEOUT` | 16 | 1..31 | 4.096 us x 2^n | How long a queue pair waits for an"
            + " acknowledgement before it sends again; 16 is 268 ms |",
        lines.get(2 + Setting.all().indexOf(Setting.IB_TIMEOUT)));
    for (String line : lines) {
      // A bar within a cell would make one more.
      assertEquals(6, line.chars().filter(c -> c == '|').count(), line);
    }
  }

  @Test
  void shouldShowEachValueWithItsSource() {
    String table =
        MeshConfig.load(
                Map.of("MESH_MTU", "1024"),
                System.getProperties(),
                Map.of("MESH_HCA", "^=mlx5_0:1"))
            .describe();
    assertTrue(hasLine(table, "MESH_MTU +1024 +bytes +environment +auto or 256, .*"), table);
    assertTrue(hasLine(table, "MESH_HCA +\\^=mlx5_0:1 +given by the program .*"), table);
    assertTrue(hasLine(table, "MESH_DEBUG +0 +default +0\\.\\.2"), table);
    assertTrue(hasLine(table, "MESH_IFNAME +- +default .*"), table);
    assertEquals(Setting.all().size() + 1, table.lines().count());
  }

  private static boolean hasLine(String table, String regex) {
    return table.lines().anyMatch(Pattern.compile(regex).asMatchPredicate());
  }

  @Test
  void shouldPrintWhatDiffersFromTheDefaults() {
    assertEquals("MeshConfig[]", MeshConfig.defaults().toString());
    assertEquals(
        "MeshConfig[MESH_HCA=mlx5:2 MESH_MTU=512]",
        MeshConfig.of(Map.of("MESH_MTU", "512", "MESH_HCA", "mlx5:2")).toString());
  }

  @Test
  void shouldSayOfEachSettingWhatItIsForAndWhatItCanBe() {
    for (Setting<?> setting : Setting.all()) {
      assertTrue(setting.name().matches("MESH_[A-Z_]+"), setting.name());
      assertTrue(setting.propertyName().matches("mesh\\.[a-z_]+"), setting.propertyName());
      assertFalse(setting.why().isBlank(), setting.name());
      assertFalse(setting.bounds().isBlank(), setting.name());
    }
    assertEquals(
        Setting.all().size(), Setting.all().stream().map(Setting::name).distinct().count());
  }

  @Test
  void shouldListEverySettingThereIs() {
    long constants =
        Arrays.stream(Setting.class.getFields())
            .filter(field -> field.getType() == Setting.class)
            .count();
    assertEquals(constants, Setting.all().size());
  }
}
