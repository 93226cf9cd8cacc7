// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.nic;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Stream;

/**
 * Reads small files of {@code /sys}, or of a recording of it. A file that is absent or whose
 * reading fails counts as empty: sysfs fails a read when an attribute does not apply (EINVAL for an
 * empty GID row, or for the speed of a cable that is not plugged in). In a process out of file
 * descriptors, every method that opens a file throws an {@link java.io.UncheckedIOException}.
 *
 * @param root {@code /sys}, or a recording of another host
 */
record Sysfs(Path root) {
  /** A sysfs attribute fits a page (Documentation/filesystems/sysfs.rst). */
  private static final int MAX_ATTRIBUTE_BYTES = 4096;

  /** Content of a file without the newline at its end. */
  Optional<String> text(String path) {
    try (InputStream in = Files.newInputStream(root.resolve(path))) {
      byte[] content = in.readNBytes(MAX_ATTRIBUTE_BYTES);
      return Optional.of(new String(content, StandardCharsets.UTF_8).strip());
    } catch (IOException e) {
      DescriptorsUsedUp.rethrow(e);
      return Optional.empty();
    }
  }

  /** Content of a file that is a decimal number, possibly negative. */
  OptionalInt number(String path) {
    Optional<String> text = text(path).filter(content -> content.matches("-?[0-9]{1,9}"));
    return text.isPresent() ? OptionalInt.of(Integer.parseInt(text.get())) : OptionalInt.empty();
  }

  /** Names in a directory, sorted; none if it is absent. */
  List<String> names(String path) {
    try (Stream<Path> entries = Files.list(root.resolve(path))) {
      return entries.map(entry -> entry.getFileName().toString()).sorted().toList();
    } catch (IOException e) {
      DescriptorsUsedUp.rethrow(e);
      return List.of();
    }
  }

  /** Names in a directory that are numbers, as numbers, sorted. */
  List<Integer> numbers(String path) {
    return names(path).stream()
        .filter(name -> name.matches("[0-9]{1,9}"))
        .map(Integer::valueOf)
        .sorted()
        .toList();
  }

  boolean exists(String path) {
    return Files.exists(root.resolve(path));
  }

  /** The path with all links resolved; empty if it does not exist. */
  Optional<Path> resolved(String path) {
    try {
      return Optional.of(root.resolve(path).toRealPath());
    } catch (IOException e) {
      return Optional.empty();
    }
  }
}
