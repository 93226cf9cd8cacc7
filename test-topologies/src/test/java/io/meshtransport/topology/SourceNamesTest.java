// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A class is found by its name alone, in a stack trace and in a search. */
class SourceNamesTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final String MAIN = "/src/main/java/";

  @Test
  void shouldUseEachNameForOneClassOnly() throws IOException {
    Map<String, List<String>> filesOfName;
    try (Stream<Path> files = Files.walk(ROOT)) {
      filesOfName =
          files
              .map(file -> ROOT.relativize(file).toString())
              .filter(file -> file.contains(MAIN) && file.endsWith(".java"))
              .filter(file -> !file.contains("target/") && !file.endsWith("-info.java"))
              .collect(
                  Collectors.groupingBy(
                      file -> file.substring(file.lastIndexOf('/') + 1),
                      TreeMap::new,
                      Collectors.toList()));
    }
    assertTrue(filesOfName.size() > 500, "only " + filesOfName.size() + " names under " + ROOT);
    filesOfName.values().removeIf(files -> files.size() == 1);
    assertEquals(Map.of(), filesOfName, "stand for more than one class");
  }
}
