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
 * The test of a class has the class's name, or names the class: in its code, or in a {@code @link}
 * of its Javadoc where the class is reached through others. So a search for the name finds it.
 */
class TestedClassesTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Pattern MAIN = Pattern.compile(".*/src/main/java/.*/(\\w+)\\.java");
  private static final Pattern TEST =
      Pattern.compile(".*/src/test/java/.*/\\w+(Test|Chapter|Contract)\\.java");
  private static final Pattern LINK = Pattern.compile("\\{@link[\\s*]+(?:[a-z]\\w*\\.)*(\\w+)");
  private static final Pattern NAME = Pattern.compile("\\b[A-Z]\\w*");

  /** Comments, string literals and imports, which name classes in passing. */
  private static final Pattern NO_CODE =
      Pattern.compile(
          "/\\*.*?\\*/|//[^\\n]*|\"(?:\\\\.|[^\"\\\\\\n])*\"|^import [^\\n]*",
          Pattern.DOTALL | Pattern.MULTILINE);

  private static List<Path> sources(Pattern name) throws IOException {
    try (Stream<Path> files = Files.walk(ROOT)) {
      return files
          .filter(file -> name.matcher(file.toString()).matches())
          .filter(file -> !ROOT.relativize(file).toString().contains("target/"))
          .toList();
    }
  }

  private static Set<String> namedByTests() throws IOException {
    Set<String> names = new HashSet<>();
    for (Path test : sources(TEST)) {
      names.add(test.getFileName().toString().replaceAll("(Test)?\\.java", ""));
      String text = Files.readString(test);
      Matcher link = LINK.matcher(text);
      while (link.find()) {
        names.add(link.group(1));
      }
      Matcher name = NAME.matcher(NO_CODE.matcher(text).replaceAll(" "));
      while (name.find()) {
        names.add(name.group());
      }
    }
    return names;
  }

  @Test
  void shouldNameEachClassInATest() throws IOException {
    Set<String> tested = namedByTests();
    List<String> untested = new ArrayList<>();
    List<Path> classes = sources(MAIN);
    for (Path file : classes) {
      Matcher name = MAIN.matcher(file.toString());
      if (name.matches() && !tested.contains(name.group(1))) {
        untested.add(ROOT.relativize(file).toString());
      }
    }
    assertTrue(classes.size() > 500, "only " + classes.size() + " classes under " + ROOT);
    assertEquals(
        List.of(), untested, "no test names these; add {@link ...} to the Javadoc of theirs");
  }
}
