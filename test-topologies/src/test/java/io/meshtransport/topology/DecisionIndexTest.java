// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Each decision has a title, a status and a date, and the index of docs/decisions is generated from
 * them. {@code -Ddecisions.update=true} writes it anew.
 */
class DecisionIndexTest {
  private static final Path FOLDER = Path.of("..", "docs", "decisions");
  private static final Path INDEX = FOLDER.resolve("README.md");
  private static final String BEGIN = "<!-- index -->\n";
  private static final String END = "<!-- /index -->";
  private static final Pattern PAGE =
      Pattern.compile(
          "# (?<title>[^\n]+)\n\n"
              + "- Status: (?<status>(?:accepted|superseded|proposed)[^\n]*)\n"
              + "- Date: (?<date>\\d{4}-\\d{2}-\\d{2})(?:, last changed \\d{4}-\\d{2}-\\d{2})?\n\n"
              + "(?s:.+)");

  @Test
  void shouldListEachDecision() throws IOException {
    String index = Files.readString(INDEX);
    int begin = index.indexOf(BEGIN) + BEGIN.length();
    int end = index.indexOf(END, begin);
    String generated = table();
    if (Boolean.getBoolean("decisions.update")) {
      Files.writeString(INDEX, index.substring(0, begin) + generated + index.substring(end));
      return;
    }

    assertTrue(
        index.substring(begin, end).equals(generated),
        "docs/decisions/README.md is out of date: run `mvn -pl test-topologies -am test"
            + " -Dtest=DecisionIndexTest -Dsurefire.failIfNoSpecifiedTests=false"
            + " -Ddecisions.update=true`");
  }

  @Test
  void shouldGiveEachDecisionATitleAStatusAndADate() throws IOException {
    List<String> bare = new ArrayList<>();
    for (Path page : pages()) {
      if (!PAGE.matcher(Files.readString(page)).matches()) {
        bare.add(page.getFileName().toString());
      }
    }

    assertEquals(
        List.of(), bare, "do not begin `# title`, `- Status: accepted`, `- Date: 2026-11-23`");
  }

  @Test
  void shouldGiveEachDecisionANumberOfItsOwn() throws IOException {
    Set<String> numbers = new HashSet<>();
    for (Path page : pages()) {
      assertTrue(numbers.add(number(page)), "two decisions have the number " + number(page));
    }
  }

  private static String table() throws IOException {
    StringBuilder table = new StringBuilder("| | Decision | Date | Status |\n|---|---|---|---|\n");
    for (Path page : pages()) {
      Matcher parts = PAGE.matcher(Files.readString(page));
      if (parts.matches()) {
        table.append(
            "| %s | [%s](%s) | %s | %s |\n"
                .formatted(
                    number(page),
                    parts.group("title"),
                    page.getFileName(),
                    parts.group("date"),
                    parts.group("status")));
      }
    }
    return table.toString();
  }

  private static String number(Path page) {
    return page.getFileName().toString().substring(0, 4);
  }

  private static List<Path> pages() throws IOException {
    try (Stream<Path> files = Files.list(FOLDER)) {
      return files
          .filter(each -> each.getFileName().toString().matches("\\d{4}-.*\\.md"))
          .sorted()
          .toList();
    }
  }
}
