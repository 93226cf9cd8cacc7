// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The file that a library was loaded from, whose name has its version, as in
 * libibverbs.so.1.14.44.0 (14 is the newest symbol version, 44 that of rdma-core).
 *
 * @param path as the kernel shows it, or the name that was loaded if the kernel does not
 */
record LoadedFile(String path) {
  /** The one of a library loaded by this process (man 5 proc, /proc/PID/maps). */
  static LoadedFile of(String name) {
    return of(name, Path.of("/proc/self/maps"));
  }

  static LoadedFile of(String name, Path maps) {
    String base = Path.of(name).getFileName().toString();
    try (Stream<String> lines = Files.lines(maps)) {
      Optional<String> path =
          lines
              .filter(line -> line.indexOf('/') >= 0)
              .map(line -> line.substring(line.indexOf('/')))
              .filter(file -> Path.of(file).getFileName().toString().startsWith(base))
              .findFirst();
      return new LoadedFile(path.orElse(name));
    } catch (IOException e) {
      // Only the texts of refusals lack the version.
      return new LoadedFile(name);
    }
  }

  @Override
  public String toString() {
    return path;
  }
}
