// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Each source file says under which licence it is, where tools look for it. */
class SourceHeadersTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final String HEADER = "SPDX-License-Identifier: Apache-2.0";

  /** What is built, or not the project's. */
  private static final Set<String> LEFT_OUT = Set.of("target", ".git", ".idea");

  @Test
  void shouldNameTheLicenceInEachSourceFile() throws IOException {
    List<Path> sources = sources();
    List<Path> bare = new ArrayList<>();
    for (Path source : sources) {
      if (!isNamed(source)) {
        bare.add(ROOT.relativize(source));
      }
    }

    assertTrue(sources.size() > 500, "only " + sources.size() + " sources under " + ROOT);
    assertEquals(List.of(), bare, "lack `" + HEADER + "` in a comment of their first two lines");
  }

  /** In the first line, or in the second where the first says which program runs the file. */
  private static boolean isNamed(Path source) throws IOException {
    try (Stream<String> lines = Files.lines(source)) {
      return lines.limit(2).anyMatch(line -> line.contains(HEADER));
    }
  }

  private static List<Path> sources() throws IOException {
    List<Path> sources = new ArrayList<>();
    Files.walkFileTree(
        ROOT,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
            return LEFT_OUT.contains(String.valueOf(folder.getFileName()))
                ? FileVisitResult.SKIP_SUBTREE
                : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            if (isSource(file)) {
              sources.add(file);
            }
            return FileVisitResult.CONTINUE;
          }
        });
    return sources;
  }

  private static boolean isSource(Path file) {
    String name = file.getFileName().toString();
    return name.endsWith(".java")
        || name.endsWith(".c")
        || name.endsWith(".h")
        || name.equals("mesh") && file.getParent().equals(ROOT)
        || file.getParent().endsWith(".ci");
  }
}
