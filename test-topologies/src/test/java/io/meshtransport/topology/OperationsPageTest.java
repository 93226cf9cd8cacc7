// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.meshtransport.config.Setting;
import io.meshtransport.spi.TransportException.Reason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** docs/OPERATIONS.md names what there is, and nothing else. */
class OperationsPageTest {
  private static final Path PAGE = Path.of("..", "docs", "OPERATIONS.md");

  @Test
  void shouldHaveARowForEachReasonInOrder() throws IOException {
    List<String> rows =
        Files.readAllLines(PAGE).stream()
            .filter(line -> line.matches("\\| [A-Z_]{4,} \\|.*"))
            .map(line -> line.split("\\|")[1].strip())
            .filter(name -> !List.of("ERROR", "WARN", "INFO", "DEBUG", "TRACE").contains(name))
            .toList();

    assertEquals(Arrays.stream(Reason.values()).map(Reason::name).toList(), rows);
  }

  @Test
  void shouldNameSettingsThatThereAre() throws IOException {
    List<String> settings = Setting.all().stream().map(Setting::name).toList();
    List<String> unknown =
        Pattern.compile("MESH_[A-Z_]+")
            .matcher(Files.readString(PAGE))
            .results()
            .map(MatchResult::group)
            .filter(name -> !settings.contains(name) && !name.equals("MESH_DEBUG"))
            .toList();

    assertEquals(List.of(), unknown);
  }
}
