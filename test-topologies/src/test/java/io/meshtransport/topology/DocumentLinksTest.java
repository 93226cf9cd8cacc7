// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Links between the pages of the project point to files and headings that exist. */
class DocumentLinksTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Pattern LINK = Pattern.compile("]\\(([^)#\\s]*)(?:#([^)\\s]*))?\\)");
  private static final Pattern FENCED = Pattern.compile("(?ms)^ *```.*?^ *```$|`[^`\n]*`");
  private static final Pattern HEADING = Pattern.compile("(?m)^#{1,6} +(.*)$");

  /** README is the page that is read whole: what does not fit has a page of its own. */
  private static final int README_MAX_LINES = 130;

  @Test
  void shouldPointToFilesAndHeadings() throws IOException {
    List<String> broken = new ArrayList<>();
    for (Path page : pages()) {
      Matcher link = LINK.matcher(FENCED.matcher(Files.readString(page)).replaceAll(""));
      while (link.find()) {
        if (!isThere(page, link.group(1), link.group(2))) {
          broken.add(ROOT.relativize(page) + ": " + link.group());
        }
      }
    }

    assertEquals(List.of(), broken);
  }

  @Test
  void shouldKeepReadmeShort() throws IOException {
    long lines = Files.readAllLines(ROOT.resolve("README.md")).size();

    assertTrue(lines <= README_MAX_LINES, "README.md has " + lines + " lines");
  }

  private static boolean isThere(Path page, String file, String heading) throws IOException {
    if (file.matches("[a-z]+:.*")) {
      return true; // Another site's: not for a test that needs no network.
    }
    Path target = file.isEmpty() ? page : page.resolveSibling(file).normalize();
    if (!Files.exists(target)) {
      return false;
    }
    return heading == null || anchors(target).contains(heading);
  }

  /** As GitHub makes them. */
  private static List<String> anchors(Path page) throws IOException {
    String text =
        Pattern.compile("(?ms)^```.*?^```$").matcher(Files.readString(page)).replaceAll("");
    return HEADING
        .matcher(text)
        .results()
        .map(each -> each.group(1).toLowerCase(Locale.ROOT))
        .map(each -> each.replaceAll("[^\\p{L}\\p{N} _-]", "").replace(' ', '-'))
        .toList();
  }

  private static List<Path> pages() throws IOException {
    List<Path> pages = new ArrayList<>();
    try (Stream<Path> top = Files.list(ROOT);
        Stream<Path> docs = Files.walk(ROOT.resolve("docs"));
        Stream<Path> examples = Files.list(ROOT.resolve("examples"))) {
      Stream.of(top, docs, examples)
          .flatMap(each -> each)
          .filter(each -> each.toString().endsWith(".md"))
          .sorted()
          .forEach(pages::add);
    }
    return pages;
  }
}
