package io.meshtransport.topology.lab;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Folders of labs, named after the process that made them: what a killed process left behind is
 * removed by the next one. Its guests end by themselves, for their agents lose their connection.
 */
final class StaleLabs {
  private static final String PREFIX = "mesh-lab-";
  private static final Pattern NAME = Pattern.compile(PREFIX + "(\\d+)-.*");

  private StaleLabs() {}

  private static Path temporary() {
    return Path.of(System.getProperty("java.io.tmpdir"));
  }

  static Path newFolder() throws IOException {
    return Files.createTempDirectory(temporary(), PREFIX + ProcessHandle.current().pid() + "-");
  }

  static void remove() throws IOException {
    List<Path> stale;
    try (Stream<Path> children = Files.list(temporary())) {
      stale =
          children
              .filter(child -> isStale(child.getFileName().toString()))
              // Another user's is not ours to take away.
              .filter(Files::isWritable)
              .toList();
    }
    for (Path folder : stale) {
      Folders.delete(folder);
    }
  }

  static boolean isStale(String name) {
    Matcher matcher = NAME.matcher(name);
    return matcher.matches() && ProcessHandle.of(Long.parseLong(matcher.group(1))).isEmpty();
  }
}
