// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench.collectives;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * A folder that goes with all that is in it.
 *
 * @param path of the folder
 */
record TemporaryFolder(Path path) implements AutoCloseable {
  static TemporaryFolder create(String prefix) {
    try {
      return new TemporaryFolder(Files.createTempDirectory(prefix));
    } catch (IOException e) {
      throw new UncheckedIOException("no folder for temporary files", e);
    }
  }

  @Override
  public void close() {
    try (Stream<Path> files = Files.walk(path)) {
      List<Path> deepestFirst = files.sorted(Comparator.reverseOrder()).toList();
      for (Path file : deepestFirst) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot remove " + path, e);
    }
  }
}
