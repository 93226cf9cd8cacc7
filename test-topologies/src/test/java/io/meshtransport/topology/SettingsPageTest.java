// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.config.MeshConfig;
import io.meshtransport.config.Setting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * The two tables of docs/SETTINGS.md are generated. {@code -Dsettings.update=true} writes them
 * anew.
 */
class SettingsPageTest {
  private static final Path PAGE = Path.of("..", "docs", "SETTINGS.md");
  private static final String BEGIN = "<!-- settings: %s -->\n";
  private static final String END = "<!-- /settings -->";

  /** What a user of two machines may want to set; all others are for experts. */
  private static final Set<String> EVERYBODY =
      Set.of(
          "MESH_PROVIDER",
          "MESH_HCA",
          "MESH_IFNAME",
          "MESH_SECRET_FILE",
          "MESH_TIMEOUT_MS",
          "MESH_RAILS",
          "MESH_TRAFFIC_CLASS",
          "MESH_DEBUG");

  @Test
  void shouldShowTheSettingsAsTheyAre() throws IOException {
    String page = Files.readString(PAGE);
    String current = withTable(page, "everybody", EVERYBODY::contains);
    current = withTable(current, "experts", name -> !EVERYBODY.contains(name));
    if (Boolean.getBoolean("settings.update")) {
      Files.writeString(PAGE, current);
      return;
    }

    assertTrue(
        page.equals(current),
        "docs/SETTINGS.md is out of date: run `mvn -pl test-topologies -am test"
            + " -Dtest=SettingsPageTest -Dsurefire.failIfNoSpecifiedTests=false"
            + " -Dsettings.update=true`");
  }

  @Test
  void shouldShowEachSettingOnce() throws IOException {
    List<String> names =
        Files.readAllLines(PAGE).stream()
            .filter(SettingsPageTest::isRow)
            .map(SettingsPageTest::name)
            .sorted()
            .toList();

    assertEquals(Setting.all().stream().map(Setting::name).sorted().toList(), names);
    assertTrue(
        Setting.all().stream().map(Setting::name).toList().containsAll(EVERYBODY),
        "a setting for everybody is gone");
  }

  private static String withTable(String page, String readers, Predicate<String> isTheirs) {
    String mark = BEGIN.formatted(readers);
    int begin = page.indexOf(mark);
    assertTrue(begin >= 0, "docs/SETTINGS.md lacks " + mark);
    begin += mark.length();
    String table =
        MeshConfig.markdownTable()
            .lines()
            .filter(line -> !isRow(line) || isTheirs.test(name(line)))
            .collect(Collectors.joining("\n", "", "\n"));
    return page.substring(0, begin) + table + page.substring(page.indexOf(END, begin));
  }

  private static boolean isRow(String line) {
    return line.startsWith("| `MESH_");
  }

  private static String name(String row) {
    return row.substring(3, row.indexOf('`', 3));
  }
}
