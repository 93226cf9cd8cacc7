// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.config;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Prints settings as a table of text, as Markdown, and on one line. */
final class SettingTable {
  private SettingTable() {}

  static String effective(MeshConfig config) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("SETTING", "VALUE", "UNIT", "SOURCE", "POSSIBLE"));
    for (EffectiveValue<?> effective : config.values().values()) {
      Setting<?> setting = effective.setting();
      rows.add(
          List.of(
              setting.name(),
              effective.text().isEmpty() ? "-" : effective.text(),
              setting.unit(),
              effective.source().label(),
              setting.bounds()));
    }
    return aligned(rows);
  }

  private static String aligned(List<List<String>> rows) {
    StringBuilder table = new StringBuilder();
    for (List<String> row : rows) {
      StringBuilder line = new StringBuilder();
      for (int column = 0; column < row.size(); column++) {
        int width = widthOf(column, rows);
        line.append(row.get(column)).append(" ".repeat(width + 2 - row.get(column).length()));
      }
      table.append(line.toString().stripTrailing()).append('\n');
    }
    return table.toString();
  }

  private static int widthOf(int column, List<List<String>> rows) {
    return rows.stream().mapToInt(row -> row.get(column).length()).max().orElse(0);
  }

  static String markdown() {
    StringBuilder table = new StringBuilder("| Setting | Default | Values | Unit | Why |\n");
    table.append("|---|---|---|---|---|\n");
    for (Setting<?> setting : Setting.all()) {
      table.append(
          "| `%s` | %s | %s | %s | %s |%n"
              .formatted(
                  setting.name(),
                  setting.defaultText(),
                  // Markdown would take [^] for a footnote.
                  setting.bounds().replace("[", "\\["),
                  setting.unit(),
                  setting.why()));
    }
    return table.toString().replace(System.lineSeparator(), "\n");
  }

  static String changes(MeshConfig config) {
    return config.values().values().stream()
        .filter(effective -> effective.source() != Source.DEFAULT)
        .map(effective -> effective.setting().name() + "=" + effective.text())
        .collect(Collectors.joining(" ", "MeshConfig[", "]"));
  }
}
